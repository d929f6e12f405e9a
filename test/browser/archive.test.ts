import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import axe from 'axe-core'
import type { Page } from 'puppeteer-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { anewOnRetry } from '../support/anew-on-retry.ts'
import { QUICK } from '../support/matrix.ts'
import { until } from '../support/until.ts'
import { testBrowser } from './chromium.ts'
import { type PageServer, startPageServer } from './mailed-pages.ts'

describe(`the archive in a real browser, on ${QUICK.name}`, () => {
  const browser = testBrowser()
  let server: PageServer
  let address: string
  let campaign: string

  anewOnRetry(
    async () => {
      server = await startPageServer(QUICK.store(), 'Acme')
      const { engine } = server
      const project = await engine.projects.change(server.project, {
        archiveSlug: 'acme',
        signUpUrl: 'https://acme.example/join',
        look: { color: '#ffe066', font: 'georgia', links: [{ name: 'Mastodon', url: 'https://social.example/@acme' }] },
      })
      await engine.subscriptions.topics.create(project, { name: 'Offers' })
      await server.mailTo('ada@example.org')
      const body =
        '<html lang="en"><body><h1 id="words">Hello</h1><script>document.title = "run"</script><p><a href="{{ viewUrl }}">Again</a></p></body></html>'
      const mail = { name: 'June', subject: 'News of June', preheader: 'What is new', body, from: 'news@example.com' }
      const made = await engine.campaigns.create(project, { ...mail, audienceType: 'ALL' })
      campaign = made.campaign.id
      await engine.campaigns.archive.publish(project, campaign, true)
      await engine.campaigns.send(project, campaign)
      const isSent = async () => (await engine.campaigns.get(project, campaign)).campaign.status === 'SENT'
      await until('it is sent', isSent)
      address = engine.campaigns.archive.addressOf(project) ?? ''
    },
    async () => {
      await server?.stop()
    },
  )

  async function open(url: string): Promise<{ readonly page: Page; readonly complaints: string[] }> {
    const page = await browser.newPage()
    onTestFinished(() => page.close())
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(String(error)))
    const answer = await page.goto(url)
    expect({ url, status: answer?.status() }).toEqual({ url, status: 200 })
    return { page, complaints }
  }

  it.each(['light', 'dark'])('lists what is published, without faults of accessibility, in %s', async (scheme) => {
    const { page, complaints } = await open(address)
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
    await page.setViewport({ width: 320, height: 640 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
    await page.evaluate(axe.source)
    const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults
    expect(violations.map(({ id, help, nodes }) => ({ id, help, at: nodes.map(({ html }) => html) }))).toEqual([])
    expect(complaints).toEqual([])
    expect(await page.evaluate('getComputedStyle(document.body).fontFamily')).toContain('Georgia')
  })

  it('leads to a mail that runs no script, and back', async () => {
    const { page } = await open(address)
    await Promise.all([page.waitForNavigation(), page.click('ol a')])
    expect(page.url()).toBe(`${address}/${campaign}`)
    expect(await page.title()).toBe('News of June')
    expect(await page.evaluate('document.querySelector("#words").textContent')).toBe('Hello')
    expect(await page.evaluate('self.origin')).toBe('null')
    for (const [link, url] of [
      ['p a', `${address}/${campaign}`],
      ['div a', address],
    ] as const) {
      await Promise.all([page.waitForNavigation(), page.click(link)])
      expect(page.url()).toBe(url)
    }
  })

  it('stands in another page by its script', async () => {
    const site = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html')
      response.end(`<link rel="icon" href="data:,"><p>Before</p><script src="${address}/list.js" async></script>`)
    })
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void site.close())
    const { page, complaints } = await open(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
    await page.waitForSelector('ul.mailwright-archive')
    expect(complaints).toEqual([])
    expect(await page.evaluate('document.querySelector("ul.mailwright-archive a").textContent')).toBe('News of June')
    expect(await page.evaluate('document.querySelector("ul.mailwright-archive a").href')).toBe(`${address}/${campaign}`)
  })
})
