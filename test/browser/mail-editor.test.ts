import { simpleParser } from 'mailparser'
import type { Browser, Page } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import type { MadeProject } from '../../server/demo/history.ts'
import { until } from '../support/until.ts'
import { launchChromium } from './chromium.ts'
import { type DashboardServer, makeDemo, settled, signIn, startDashboard } from './dashboard-server.ts'

let browser: Browser
let demo: MadeProject
let server: DashboardServer

beforeAll(async () => {
  browser = await launchChromium()
  demo = await makeDemo(20)
  server = await startDashboard(sqlite({ file: demo.file, synchronous: 'NORMAL' }))
  const page = await browser.newPage()
  await page.goto(server.url)
  await signIn(page)
  await page.close()
})
afterAll(async () => {
  await browser?.close()
  await server?.stop()
  await demo?.remove()
})

async function open(path: string): Promise<Page> {
  const page = await browser.newPage()
  page.setDefaultTimeout(10_000)
  onTestFinished(() => page.close())
  await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }])
  await page.goto(`${server.url}p/${server.demo.id}/${path}`)
  await settled(page)
  return page
}

/** Goes by Tab to what is called so, as somebody without a mouse does. */
async function tabTo(page: Page, name: string): Promise<void> {
  const called = `(document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText ?? '').trim()`
  const labelled = `[...(document.activeElement.labels ?? [])].map(({ innerText }) => innerText.replace(' *', '').trim())`
  for (let presses = 0; presses < 120; presses++) {
    if (await page.evaluate(`${called} === ${JSON.stringify(name)} || ${labelled}.includes(${JSON.stringify(name)})`))
      return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab never comes to ${name}`)
}

async function choose(page: Page, menu: string, item: string): Promise<void> {
  await tabTo(page, menu)
  await page.keyboard.press('Enter')
  await page.waitForSelector('[role="menu"]')
  const reached = `document.activeElement.innerText.split('\\n')[0] === ${JSON.stringify(item)}`
  for (let presses = 0; presses < 30 && !(await page.evaluate(reached)); presses++)
    await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForSelector('[role="menu"]', { hidden: true })
}

describe('the editor of mails', () => {
  // from an empty draft to a mail at the recipient: no other test sees that what was drawn is what is sent
  it('draws a mail by keyboard alone, which opens as it was drawn and is sent as it looks', async () => {
    const page = await open('templates/new')
    await tabTo(page, 'Name')
    await page.keyboard.type('Drawn')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.tiptap')
    const url = page.url()
    await tabTo(page, 'Body')
    await page.keyboard.down('Control')
    await page.keyboard.press('a')
    await page.keyboard.up('Control')
    await page.keyboard.press('Backspace')
    await page.keyboard.type('Dear {{ name | default: "friend" }}, 3 < 4 & {{ email | upcase }}!')
    await choose(page, 'Add a block', 'Button')
    await page.waitForFunction(`document.activeElement.value === 'Read more'`)
    await page.keyboard.type(' now')
    await tabTo(page, 'Leads to')
    await page.keyboard.type('https://example.org/?who={{ email | append: "x" }}&b=1')
    await choose(page, 'Add a block', 'Unsubscribe')
    await page.waitForFunction(`document.activeElement.tagName === 'TEXTAREA'`)
    await choose(page, 'Add a block', 'For some contacts only')
    await page.waitForFunction(`document.activeElement.className.includes('tiptap')`)
    await page.keyboard.type('Pros only. ')
    await tabTo(page, 'Field')
    await page.keyboard.type('plan')
    await page.keyboard.press('Escape')
    await page.keyboard.down('Control')
    await page.keyboard.press('s')
    await page.keyboard.up('Control')
    const stored = async () =>
      (await server.engine.templates.list(server.demo)).items.find(({ name }) => name === 'Drawn')
    await until('it is saved', async () => (await stored())?.body.includes('Pros only') === true)
    const { id = '', body = '', design } = (await stored()) ?? {}
    expect(body).toContain(
      '<p style="margin:0 0 16px">Dear {{ name | default: "friend" }}, 3 &lt; 4 &amp; {{ email | upcase }}!</p>',
    )
    expect(body).toContain(`href="https://example.org/?who={{ email | append: 'x' }}&amp;b=1"`)
    expect(body).toMatch(/\{% if plan != blank %\}\n<p [^>]*>Pros only\. .*<\/p>\n\{% endif %\}/)

    await page.goto(url)
    await settled(page)
    await page.waitForSelector('.tiptap [data-block="button"]')
    expect(await page.evaluate(`document.querySelector('.tiptap').innerText`)).toContain('Read more now')
    expect((await server.engine.templates.get(server.demo, id)).design).toEqual(design)

    await server.engine.sending.send(server.demo, {
      ...{ to: 'pro@example.org', from: 'hello@example.com', template: id },
      subscribed: true,
      data: { name: 'Ada', plan: 'pro' },
    })
    await until('it is sent', () => server.sink.messages.some(({ to }) => to.includes('pro@example.org')))
    const raw = server.sink.messages.find(({ to }) => to.includes('pro@example.org'))?.raw ?? ''
    const { text, html } = await simpleParser(raw)
    expect(text).toContain('Dear Ada, 3 < 4 & PRO@EXAMPLE.ORG!')
    expect(text).toContain('Pros only.')
    expect(html).toContain('Dear Ada, 3 &lt; 4 &amp; PRO@EXAMPLE.ORG!')
  })
})
