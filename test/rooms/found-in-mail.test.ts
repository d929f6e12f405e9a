import { describe, expect, it } from 'vitest'
import { codeIn, linksIn } from '../../core/sandbox/found-in-mail.ts'
import { ownTime } from '../support/own-time.ts'

// texts as services write them; what no test of a route asks: which of several numbers is the code, and where none is
describe('the code of a mail', () => {
  it.each([
    ['123456 is your Acme verification code', 'Enter it within 10 minutes.', '123456'],
    ['Sign in', 'Your code is:\n\n482 913\n\nIt expires in 15 minutes. © 2026 Acme, 12345 Berlin', '482913'],
    ['Anmelden', 'Ihr Einmalcode lautet 0042. Kundennummer 9988776', '0042'],
    ['Kennwort', 'Ihr Einmalkennwort:\n\n  *77-88-99*  \n\n7788-9900', '77889900'],
    ['Bestätigungscode', 'A1B2-C3D4\n', 'A1B2-C3D4'],
    ['Votre code de connexion', 'Voici votre code : 918273', '918273'],
    ['Twój kod', 'Kod: 55 12\nKod weryfikacyjny 551299', '551299'],
    ['Your PIN', 'PIN: 4711', '4711'],
    ['Код подтверждения', 'Ваш код: 260711', '260711'],
    ['验证码', '您的验证码是 384756，请勿泄露。', '384756'],
    ['Verify', 'Open https://acme.example/verify?code=999999 or type 271828 as your code', '271828'],
  ])('%s', (subject, text, code) => {
    expect(codeIn(subject, text)).toBe(code)
  })

  it.each([
    ['Your order 12345678', 'It arrives on 2026-11-30. Call 0301234567.'],
    ['Shopping in 2026', 'Standard delivery takes 1000 minutes.'],
    ['Our code of conduct', 'It is from 2026. See https://acme.example/1234567'],
    ['', ''],
  ])('is none in: %s', (subject, text) => {
    expect(codeIn(subject, text)).toBeUndefined()
  })

  it('is found in little time, however long and odd the text is', () => {
    const own = ownTime()
    for (const text of ['1 '.repeat(500_000), '1-'.repeat(500_000), 'code '.repeat(200_000), 'A1'.repeat(500_000)]) {
      codeIn('code', text)
      linksIn('', `http://${text}`)
      linksIn(`<a href="x">${text}`, '')
      linksIn('<a href="https://a.example">'.repeat(20_000), '')
    }
    expect(own()).toBeLessThan(4_000)
  })
})

describe('the links of a mail', () => {
  it('are those of its HTML with their words, each once, and where they lead', () => {
    const html = `<a href=" https://a.example/?x=1&amp;y=2 "><b>Go</b>
      there</a> <a href="https://a.example/?x=1&amp;y=2">Go there</a><a href="#top">up</a>
      <a href="javascript:alert(1)">no</a><a href="mailto:hi@a.example">write</a><a href="https://b.example"><img src="x"></a>`
    expect(linksIn(html, 'https://c.example')).toEqual([
      { url: 'https://a.example/?x=1&y=2', text: 'Go there' },
      { url: 'mailto:hi@a.example', text: 'write' },
      { url: 'https://b.example', text: '' },
    ])
  })

  it('are those of its text when it has no HTML', () => {
    expect(linksIn('', 'See <https://a.example/x>, or (https://b.example/y?z=1).')).toEqual([
      { url: 'https://a.example/x', text: '' },
      { url: 'https://b.example/y?z=1', text: '' },
    ])
  })
})
