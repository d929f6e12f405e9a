import { describe, expect, it } from 'vitest'
import { actOf } from '../../core/feedback/seen.ts'
import type { FeedbackReport } from '../../core/ports/feedback-report.ts'
import { isMachine } from '../../core/tracking/machines.ts'
import { idSource } from '../../core/values/id.ts'

const MACHINES = {
  "Gmail's proxy": 'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
  "Gmail's look at new mail":
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/42.0.2311.135 Safari/537.36 Edge/12.246 Mozilla/5.0',
  "Yahoo's proxy": 'YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html',
  "Apple Mail's privacy relay": 'Mozilla/5.0',
  "HEY's proxy":
    'hey.com/imageproxy Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/134.0.0.0 Safari/537.36',
  "Seznam's proxy": 'SeznamEmailProxy/2.0.152',
  BingPreview: 'Mozilla/5.0 (Windows NT 6.1; WOW64) AppleWebKit/534+ (KHTML, like Gecko) BingPreview/1.0b',
  MicrosoftPreview: 'MicrosoftPreview/2.0; +https://aka.ms/MicrosoftPreview',
  SkypeUriPreview: 'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5',
  Barracuda:
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/90.0 Safari/537.36 Barracuda',
  Proofpoint: 'Mozilla/5.0 (compatible; Proofpoint URL Defense)',
  Mimecast: 'Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/102.0 Mimecast',
  ZmEu: 'ZmEu',
  Slack: 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  Googlebot: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'headless Chrome':
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/120.0.0.0 Safari/537.36',
  curl: 'curl/8.5.0',
  Python: 'python-requests/2.31.0',
  Go: 'Go-http-client/2.0',
  nothing: '',
  spaces: '   ',
}

const PEOPLE = {
  'Chrome on Windows':
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
  Firefox: 'Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0',
  Safari:
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 Safari/605.1.15',
  'Apple Mail without the relay':
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)',
  'Mail on an iPhone':
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
  Thunderbird: 'Mozilla/5.0 (X11; Linux x86_64; rv:115.0) Gecko/20100101 Thunderbird/115.4.1',
  'Outlook on Windows':
    'Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 10.0; WOW64; Trident/7.0; .NET4.0C; Microsoft Outlook 16.0.15601; ms-office; MSOffice 16)',
  'Outlook 365': 'Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.10730; Pro)',
  'Outlook on a Mac': 'MacOutlook/16.78.3 (Intel Mac OS X 14.0)',
  'Outlook on Android': 'Outlook-Android/2.0',
  'Outlook on an iPhone': 'Outlook-iOS/709.2226530.prod.iphone (3.24.0)',
  Airmail: 'Airmail 5.6.2',
  'eM Client': 'eM Client/9.2',
  Evolution: 'Evolution 3.44',
  'Yahoo on Android': 'YahooMobileMail/1.0 (Android Mail; 1.4.6)',
  'a phone whose maker is called Cubot':
    'Mozilla/5.0 (Linux; Android 9; CUBOT_P40) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/119.0 Mobile Safari/537.36',
}

describe('a visitor', () => {
  it.each(Object.entries(MACHINES))('is a machine: %s', (_name, userAgent) => {
    expect(isMachine({ userAgent, isPrefetch: false })).toBe(true)
  })

  it.each(Object.entries(PEOPLE))('is a person: %s', (_name, userAgent) => {
    expect(isMachine({ userAgent, isPrefetch: false })).toBe(false)
    expect(isMachine({ userAgent, isPrefetch: true })).toBe(true)
  })

  it('without a name is a machine', () => {
    expect(isMachine({ isPrefetch: false })).toBe(true)
  })

  it('of whom a provider tells is one when it says so, and else by the name', () => {
    const newId = idSource(() => Date.now())
    const machineIn = (told: Pick<FeedbackReport, 'machine' | 'userAgent'>) =>
      actOf({ kind: 'opened', mail: { emailId: '1' }, at: new Date(), key: '1', ...told }, newId).machine
    const [userAgent = '', robot = ''] = [Object.values(PEOPLE)[0], Object.values(MACHINES)[0]]
    expect(machineIn({ userAgent, machine: true })).toBe(true)
    expect(machineIn({ machine: true })).toBe(true)
    expect(machineIn({ userAgent })).toBe(false)
    expect(machineIn({ userAgent: robot })).toBe(true)
    expect(machineIn({})).toBe(false)
  })

  it('with an endless name is judged by its beginning, soon', () => {
    const began = performance.now()
    for (const filler of ['a', ' ', '(', 'a.', '1 ', 'Mozilla/5.0 (']) {
      isMachine({ userAgent: filler.repeat(1_000_000), isPrefetch: false })
    }
    expect(performance.now() - began).toBeLessThan(2000)
  })
})
