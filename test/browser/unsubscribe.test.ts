import axe from 'axe-core'
import type { Page } from 'puppeteer-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { anewOnRetry } from '../support/anew-on-retry.ts'
import { STORES } from '../support/matrix.ts'
import { testBrowser } from './chromium.ts'
import { type PageServer, startPageServer } from './mailed-pages.ts'

const browser = testBrowser()

for (const store of STORES) {
  describe(`the pages of a real mail in a real browser, on ${store.name}`, () => {
    let server: PageServer
    anewOnRetry(
      async () => {
        server = await startPageServer(store.store(), 'Acme')
      },
      async () => {
        await server?.stop()
      },
    )

    const isSubscribed = async (id: string) => (await server.engine.contacts.get(server.project, id)).subscribed
    const open = async (url: string, { scripts = true } = {}) => {
      const page = await browser.newPage()
      onTestFinished(() => page.close())
      await page.setJavaScriptEnabled(scripts)
      const complaints: string[] = []
      page.on('console', (message) => complaints.push(message.text()))
      page.on('pageerror', (error) => complaints.push(String(error)))
      const answer = await page.goto(url)
      expect({ url, status: answer?.status() }).toEqual({ url, status: 200 })
      return { page, complaints }
    }

    it.each([true, false])('unsubscribe, and take it back, with scripts: %s', async (scripts) => {
      const { unsubscribeUrl, contactId } = await server.mailTo(`ada-${scripts}@example.org`)
      const { page, complaints } = await open(unsubscribeUrl, { scripts })
      expect(await headingOf(page)).toBe('Unsubscribe')
      expect(await isSubscribed(contactId)).toBe(true)
      await press(page)
      expect(await headingOf(page)).toBe('You are unsubscribed')
      expect(await isSubscribed(contactId)).toBe(false)
      expect(page.url()).toBe(unsubscribeUrl)
      await page.reload()
      expect(await headingOf(page)).toBe('You are unsubscribed')
      await press(page)
      expect(await headingOf(page)).toBe('You are subscribed')
      expect(await isSubscribed(contactId)).toBe(true)
      // a style or a form the Content-Security-Policy forbids would be told there
      expect(complaints).toEqual([])
      expect(await page.evaluate('getComputedStyle(document.querySelector("main")).maxWidth')).toBe('480px')
    })

    it('unsubscribe by the keyboard alone', async () => {
      const { unsubscribeUrl, contactId } = await server.mailTo('keys@example.org')
      const { page } = await open(unsubscribeUrl)
      await page.keyboard.press('Tab')
      expect(await page.evaluate('document.activeElement.tagName')).toBe('BUTTON')
      await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')])
      expect(await isSubscribed(contactId)).toBe(false)
    })

    it('unsubscribe by one click as the header of the mail says (RFC 8058)', async () => {
      const { mail, contactId } = await server.mailTo('click@example.org')
      const { url } = listUnsubscribe(mail.headers.get('list'))
      const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })
      const answer = await fetch(url, { method: 'POST', body, redirect: 'error' })
      expect(answer.status).toBe(200)
      expect(await isSubscribed(contactId)).toBe(false)
    })

    it.each(['light', 'dark'])('have no faults of accessibility, in %s', async (scheme) => {
      const { unsubscribeUrl } = await server.mailTo(`${scheme}@example.org`, { locale: 'de' })
      const { page } = await open(unsubscribeUrl)
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
      const background = await page.evaluate('getComputedStyle(document.querySelector("main")).backgroundColor')
      expect(background).toBe(scheme === 'dark' ? 'rgb(30, 41, 59)' : 'rgb(255, 255, 255)')
      const manage = unsubscribeUrl.replace('/unsubscribe/', '/manage/')
      for (const step of [
        async () => {},
        () => press(page),
        () => page.goto(manage),
        () => page.goto(unsubscribeUrl.replace('/unsubscribe/', '/subscribe/')),
        () => page.goto(`${manage}x`),
      ]) {
        await step()
        await page.evaluate(axe.source)
        const found = (await page.evaluate('axe.run()')) as axe.AxeResults
        expect(
          found.violations.map(({ id, help, nodes }) => ({ id, help, at: nodes.map(({ html }) => html) })),
        ).toEqual([])
        expect(found.passes.map(({ id }) => id)).toContain('color-contrast')
      }
    })

    it('fit into 320 pixels, however long the names', async () => {
      const long = `${'very-long-address-'.repeat(3)}x@${'a'.repeat(60)}.example.org`
      const { unsubscribeUrl } = await server.mailTo(long, { locale: 'pl' })
      const { page } = await open(unsubscribeUrl)
      await page.setViewport({ width: 320, height: 640 })
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
      expect(await page.evaluate('document.querySelector("main").scrollWidth <= 320')).toBe(true)
      expect(await page.evaluate('document.querySelector("button").getBoundingClientRect().height >= 44')).toBe(true)
    })
  })
}

async function press(page: Page): Promise<void> {
  await Promise.all([page.waitForNavigation(), page.click('button')])
}

async function headingOf(page: Page): Promise<unknown> {
  return page.evaluate('document.querySelector("main h1").textContent')
}

/** As mailparser reads `List-Unsubscribe`. */
function listUnsubscribe(list: unknown): { url: string } {
  return (list as { unsubscribe: { url: string } }).unsubscribe
}
