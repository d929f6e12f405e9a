import type { Page } from 'puppeteer-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Engine, Plugin, Store } from '../../config/library.ts'
import { listen } from '../../server/http/http-server.ts'
import { anewOnRetry } from '../support/anew-on-retry.ts'
import { toSink } from '../support/engine.ts'
import { ANY } from '../support/matrix.ts'
import { freePort } from '../support/server-process.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'
import { STEP_MS, testBrowser } from './chromium.ts'
import { createApp, createEngine, silentLog } from './compiled.ts'
import { OWNER, settled } from './dashboard-server.ts'
import { faultsOf } from './faults.ts'

/** The words that a reader sees in each language. */
const WORDS = {
  en: {
    quotas: ['Today', '2 of 5 mails used', '3 mails are left.', 'This month', '2 of 1,000 mails used'],
    ramp: ['example.com', '2 of 2 mails used', 'Stays as it is', 'bounced'],
    waits: 'its sender domain is being warmed up',
    plan: ['Mails go out every day, between 09:00 and 18:00, in the time zone UTC.', 'The plan is saved.'],
  },
  de: {
    quotas: ['Heute', '2 von 5 Mails verbraucht', '3 Mails sind noch frei.', 'Diesen Monat', '2 von 1.000 Mails'],
    ramp: ['example.com', '2 von 2 Mails verbraucht', 'Bleibt gleich', 'kamen zurück'],
    waits: 'ihre Absenderdomain wird aufgewärmt',
    plan: ['09:00', '18:00'],
  },
} as const

const browser = testBrowser()
let engine: Engine
let store: Store
let project: Awaited<ReturnType<Engine['projects']['list']>>[number]
let sink: SmtpSink
let http: Awaited<ReturnType<typeof listen>>
let waiting: string
let draft: string

anewOnRetry(
  async () => {
    sink = await startSmtpSink()
    const port = await freePort()
    const plugin = ANY.store()
    const open: Plugin<'store'>['open'] = async (context) => {
      const opened = await plugin.open(context)
      store = opened.store
      return opened
    }
    engine = await createEngine({
      ...{ store: Object.assign({}, plugin, { open }), publicUrl: `http://127.0.0.1:${port}`, log: silentLog },
      ...{ transports: [toSink(sink)], accounts: { passwordCost: 10 } },
      projects: [{ name: 'Acme', trustedDomains: ['example.com'], quotas: { daily: 5, monthly: 1000 } }],
      delivery: { threads: 0, throttle: { transports: { sink: { ramp: { start: 2, growth: 2, until: 100 } } } } },
    })
    await engine.accounts.make(OWNER, 'new', { owns: true })
    await engine.start()
    http = await listen(createApp(engine, { log: false }), { host: '127.0.0.1', port }, silentLog)
    project = (await engine.projects.list())[0]!
    for (let i = 0; i < 3; i++) await engine.contacts.upsert(project, { email: `p${i}@example.org` })
    const news = { subject: 'News', body: '<p>Hello</p>', from: 'news@example.com', audienceType: 'ALL' } as const
    waiting = (await engine.campaigns.create(project, { name: 'Waiting', ...news })).campaign.id
    draft = (await engine.campaigns.create(project, { name: 'Draft', ...news })).campaign.id
    await engine.campaigns.send(project, waiting)
    await until('it waits', async () => (await engine.campaigns.get(project, waiting)).waiting?.reason === 'ramp')
    const mail = { projectId: project.id, at: new Date(), sendingDomain: 'example.com', recipientDomain: '' }
    const facts = (i: number) => (i < 20 ? (['sent', 'bounced'] as const) : (['sent', 'delivered'] as const))
    await store.reputation.add(Array.from({ length: 300 }, (_, i) => Object.assign({ facts: facts(i) }, mail)))
  },
  async () => {
    await http?.close(0)
    await engine?.stop()
    await sink?.close()
  },
)

describe.each(['en', 'de'] as const)('what limits how much is sent, in %s', { timeout: 120_000 }, (language) => {
  it.each([1280, 390])('is read and set by everybody at %i pixels', async (width) => {
    const words = WORDS[language]
    const page = await opened('settings?tab=limits', language, width)
    const main = () => page.evaluate(`document.querySelector('main').innerText`) as Promise<string>
    for (const each of [...words.quotas, ...words.ramp]) expect(await main()).toContain(each)
    await expectFit(page, width)
    await page.goto(`${http.url}/app/p/${project.id}/campaigns/${waiting}`)
    await settled(page)
    expect(await main()).toContain(words.waits)
    expect(await page.$('main a[href$="/settings?tab=limits"]')).not.toBeNull()
    await expectFit(page, width)

    await page.goto(`${http.url}/app/p/${project.id}/campaigns/${draft}?step=send`)
    await settled(page)
    const plan = `[...document.querySelectorAll('main fieldset')][0]`
    const box = (at: number) => `${plan}.querySelectorAll('input[type="checkbox"]:not([value])')[${at}]`
    await page.waitForFunction(`${plan} !== undefined`)
    if (!(await page.evaluate(`${box(0)}.checked`))) await page.evaluate(`${box(0)}.click()`)
    await page.waitForFunction(`${plan}.querySelectorAll('button').length > 0`)
    const hours = `[...${plan}.querySelectorAll('input[type="checkbox"]')].at(-1)`
    if (!(await page.evaluate(`${hours}.checked`))) await page.evaluate(`${hours}.click()`)
    await page.evaluate(`[...${plan}.querySelectorAll('button')].at(-1).click()`)
    await until('the plan is saved', async () => {
      const { campaign } = await engine.campaigns.get(project, draft)
      return campaign.plan?.from === '09:00'
    })
    await settled(page)
    for (const each of words.plan) expect(await main()).toContain(each)
    await expectFit(page, width)
    await engine.campaigns.change(project, draft, { plan: null })
  })
})

/** Nothing is wider than the screen, and no fault of accessibility is left. */
async function expectFit(page: Page, width: number): Promise<void> {
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
  expect(await faultsOf(page)).toEqual([])
  if (process.env.SCREENS_INTO !== undefined) await shot(page, width)
}

async function shot(page: Page, width: number): Promise<void> {
  const name = `${await page.evaluate('document.documentElement.lang')}-${width}-${new URL(page.url()).pathname.split('/').at(-1)}`
  await page.screenshot({ path: `${process.env.SCREENS_INTO}/${name}.png` as `${string}.png`, fullPage: true })
}

async function opened(path: string, language: string, width: number): Promise<Page> {
  const context = await browser.createBrowserContext()
  onTestFinished(() => context.close())
  const page = await context.newPage()
  page.setDefaultTimeout(STEP_MS)
  await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }])
  await page.setViewport({ width, height: 900 })
  await page.goto(`${http.url}/app/`)
  await page.evaluate(`localStorage.setItem('mailwright-language', '${language}')`)
  await page.reload()
  await page.waitForSelector('input[type="email"]')
  await page.type('input[type="email"]', OWNER.email)
  await page.type('input[type="password"]', OWNER.password)
  await page.keyboard.press('Enter')
  await page.waitForFunction(`!location.pathname.includes('sign-in') && document.querySelector('main h1') !== null`)
  await page.goto(`${http.url}/app/p/${project.id}/${path}`)
  await settled(page)
  return page
}
