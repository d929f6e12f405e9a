import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'puppeteer-core'
import { expect, it } from 'vitest'
import { anewOnRetry } from '../support/anew-on-retry.ts'
import { toSink } from '../support/engine.ts'
import { type SmtpSink, type SunkMail, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'
import { STEP_MS, testBrowser } from './chromium.ts'
import { type AcmeServer, settled, signIn, startAcme } from './dashboard-server.ts'
import { faultsOf } from './faults.ts'

const browser = testBrowser()
let server: AcmeServer
let sink: SmtpSink
/** A page of another site, at an origin of its own. */
let site: Server
let siteUrl: string
let html = ''
/** How far the days of the series have gone on, in milliseconds. */
let ahead = 0
const DAY = 86_400_000

anewOnRetry(
  async () => {
    ahead = 0
    sink = await startSmtpSink()
    server = await startAcme({
      transports: [toSink(sink)],
      clock: { now: () => new Date(Date.now() + ahead) },
    })
    site = createServer((_, answer) => answer.setHeader('content-type', 'text/html; charset=utf-8').end(html))
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
    siteUrl = `http://localhost:${(site.address() as AddressInfo).port}`
  },
  async () => {
    await server?.stop()
    await sink?.close()
    site?.close()
  },
)

it('a welcome series is built by mouse, from an empty project to a topic left again', {
  timeout: 240_000,
}, async () => {
  const { engine, project } = server
  const page = await browser.newPage()
  page.setDefaultTimeout(STEP_MS)
  await page.setViewport({ width: 1280, height: 800 })
  const at = (path: string) => server.address(`p/${project.id}/${path}`)
  const open = async (path: string) => {
    await page.goto(at(path))
    await settled(page)
  }
  await page.goto(at('topics?new=1'))
  await signIn(page)
  for (const topic of ['Newsletter', 'Offers']) {
    if (topic !== 'Newsletter') await open('topics?new=1')
    await page.waitForSelector('[role="dialog"] input[name="name"]')
    await page.type('[role="dialog"] input[name="name"]', topic)
    await page.click('[role="dialog"] button[type="submit"]')
    await page.waitForSelector(`main tbody ::-p-text(${topic})`)
  }

  await open('forms/new')
  await page.click('main button[aria-label="Newsletter"]')
  await type(page, 'Name', 'Sign-up')
  await choose(page, 'Topics', 'Newsletter')
  await (await page.waitForSelector('[role="option"]::-p-text(Offers)'))?.click()
  await page.keyboard.press('Escape')
  await type(page, 'Addresses of your pages', siteUrl)
  await page.click('main form button[type="submit"]')
  const form = await until('the form is there', async () => (await engine.subscriptions.forms.list(project)).items[0])

  // starts by what people do: nothing here asks for the name of an event
  await open('workflows?new=1')
  await page.waitForSelector('[role="dialog"] ::-p-text(Starts when)')
  await choose(page, 'Starts when …', 'someone chooses a topic')
  expect(await faultsOf(page)).toEqual([])
  await press(page, 'Create')
  await page.waitForSelector('[role="dialog"] ::-p-text(at least 1 character)')
  await choose(page, 'Topic', 'Newsletter')
  await type(page, 'Name', 'Welcome')
  await press(page, 'Create')
  await page.waitForSelector('[data-step] ::-p-text(Someone chooses the topic “Newsletter”)')

  // three mails, each written from its step, with a day between them
  const mails = ['Hello', 'Second steps', 'Last words']
  for (const [i, mail] of mails.entries()) {
    if (i > 0) {
      await add(page, `Add a step after ${mails[i - 1]}`, 'Wait')
      await type(page, 'Step name', `Pause ${i}`)
      await page.click('[role="dialog"] form button[type="submit"]')
      await page.waitForSelector(`[data-step] ::-p-text(Pause ${i})`)
      await page.waitForSelector('[role="dialog"]', { hidden: true })
    }
    await add(page, `Add a step after ${i === 0 ? 'Someone chooses a topic' : `Pause ${i}`}`, 'Send a mail')
    if (i === 0) expect(await faultsOf(page)).toEqual([])
    await type(page, 'Step name', mail)
    await press(page, 'Write a new mail')
    await page.waitForSelector('main ::-p-text(Back to the workflow)')
    await settled(page)
    await page.click('main a ::-p-text(Back to the workflow)')
    await page.waitForSelector(`[data-step] ::-p-text(${mail})`)
  }
  await page.waitForSelector('main a ::-p-text(Welcome: Last words)')

  // what is still to be written is asked about, and the harmless answer stands out
  await press(page, 'Turn on')
  await page.waitForSelector('[role="dialog"] ::-p-text(Turn it on as it is?)')
  expect(await page.evaluate(`document.activeElement.innerText`)).toBe('Cancel')
  await page.click('[role="dialog"] button ::-p-text(Turn on all the same)')
  await page.waitForSelector('main ::-p-text(On)')
  await until('it is on', async () => (await engine.workflows.list(project)).items[0]?.enabled)

  // a person comes by the form in a page of the shop, confirms, and gets one mail a day
  await open(`forms/${form.id}?tab=embed`)
  const [script = ''] = await page.$$eval('pre', (blocks) => blocks.map((block) => block.textContent ?? ''))
  html = `<!doctype html><html lang="en"><title>Shop</title><main><h1>Shop</h1>${script}</main>`
  await page.goto(siteUrl)
  const inside = (selector: string) => `.mailwright >>> ${selector}`
  await (await page.waitForSelector(inside('input[name="email"]')))!.type('grace@example.org')
  for (const box of await page.$$(inside('input[type="checkbox"]'))) await box.click()
  await page.click(inside('form button'))
  await page.waitForSelector(inside('.mailwright-thanks'))
  expect(page.url()).toBe(`${siteUrl}/`)
  const [asking] = await sink.waitFor(1, 30)
  await page.goto(linkIn(asking!, ''))
  expect(await faultsOf(page)).toEqual([])
  await Promise.all([page.waitForNavigation(), page.click('button')])
  for (const [i] of mails.entries()) {
    const sent = await sink.waitFor(i + 2, 60)
    expect(sent[i + 1]!.to).toEqual(['grace@example.org'])
    expect(sent[i + 1]!.raw.toString()).toContain(`Subject: ${mails[i]}`)
    ahead += DAY
  }
  const { items } = await engine.workflows.list(project)
  const { byStatus } = await engine.workflows.stats(project, items[0]!.id)
  expect(byStatus).toMatchObject({ COMPLETED: 1, WAITING: 0 })

  // the link of the second mail leaves its topic alone, as the page of the contact shows
  await page.goto(linkIn(sink.messages[2]!, '/unsubscribe/'))
  expect(await page.evaluate('document.body.innerText')).toContain('Newsletter')
  expect(await faultsOf(page)).toEqual([])
  await Promise.all([page.waitForNavigation(), page.click('button')])
  await open('contacts')
  await page.click('main a::-p-text(grace@example.org)')
  await page.waitForSelector('::-p-aria([name="Offers"][role="switch"])')
  const chosen = (topic: string) =>
    page.$eval(`::-p-aria([name="${topic}"][role="switch"])`, (box) => 'checked' in box && box.checked)
  expect([await chosen('Newsletter'), await chosen('Offers')]).toEqual([false, true])
  expect(await faultsOf(page)).toEqual([])
})

/** The first link of a mail whose address has this in it. */
function linkIn(mail: SunkMail, part: string): string {
  const text = mail.raw.toString().replace(/=\r\n/g, '').replaceAll('=3D', '=')
  const link = [...text.matchAll(/http:\/\/127\.0\.0\.1:\d+\/[^\s"<>]+/g)].map(([found]) => found)
  return link.find((each) => each.includes(part)) ?? `no link with ${part} in ${text}`
}

/** Opens the palette at a plus, and chooses a kind of step in it. */
async function add(page: Page, plus: string, kind: string): Promise<void> {
  await (await page.waitForSelector(`[aria-label="${plus}"]`))?.click()
  const item = `[role="menuitem"][aria-label="${kind}"]`
  await page.waitForSelector(item)
  // it unfolds: what it is clicked at would not stay where it is
  await page.evaluate(`document.querySelector('${item}').click()`)
  await page.waitForSelector('[role="dialog"] form')
  // it slides in from the right
  await page.waitForFunction(`document.querySelector('[role="dialog"]')?.getBoundingClientRect().right <= innerWidth`)
}

async function press(page: Page, name: string): Promise<void> {
  await (await page.waitForSelector(`::-p-aria([name="${name}"][role="button"])`))?.click()
}

async function type(page: Page, label: string, text: string): Promise<void> {
  const field = await page.waitForSelector(`::-p-aria([name="${label}"][role="textbox"])`)
  await field?.click({ count: 3 })
  await field?.type(text)
}

async function choose(page: Page, label: string, option: string): Promise<void> {
  await (await page.waitForSelector(`::-p-aria([name="${label}"][role="combobox"])`))?.click()
  await (await page.waitForSelector(`[role="option"]::-p-text(${option})`))?.click()
}
