import type { Page } from 'puppeteer-core'
import { describe, expect, it } from 'vitest'
import type { Engine } from '../../config/library.ts'
import { listen } from '../../server/http/http-server.ts'
import { anewOnRetry } from '../support/anew-on-retry.ts'
import { toSink } from '../support/engine.ts'
import { ANY } from '../support/matrix.ts'
import { freePort } from '../support/server-process.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'
import { STEP_MS, testBrowser } from './chromium.ts'
import { createApp, createEngine, silentLog } from './compiled.ts'
import { OWNER, settled, signIn } from './dashboard-server.ts'
import { faultsOf } from './faults.ts'

const PEOPLE = 40

const browser = testBrowser()
let engine: Engine
let project: Awaited<ReturnType<Engine['projects']['list']>>[number]
let sink: SmtpSink
let http: Awaited<ReturnType<typeof listen>>

anewOnRetry(
  async () => {
    sink = await startSmtpSink()
    const port = await freePort()
    engine = await createEngine({
      ...{ store: ANY.store(), publicUrl: `http://127.0.0.1:${port}`, transports: [toSink(sink)], log: silentLog },
      projects: [{ name: 'Acme', trustedDomains: ['example.com'], from: 'Acme <news@example.com>' }],
      accounts: { passwordCost: 10 },
      delivery: { threads: 0 },
    })
    await engine.accounts.make(OWNER, 'new', { owns: true })
    await engine.start()
    http = await listen(createApp(engine, { log: false }), { host: '127.0.0.1', port }, silentLog)
    project = (await engine.projects.list())[0]!
    for (let i = 0; i < PEOPLE; i++) await engine.contacts.upsert(project, { email: `p${i}@example.org` })
  },
  async () => {
    await http?.close(0)
    await engine?.stop()
    await sink?.close()
  },
)

describe('a test of variants in the dashboard', { timeout: 120_000 }, () => {
  it('is made in the editor, shows how the variants compare, its counts open the people behind them, and a person sends one to the rest', async () => {
    const { campaign } = await engine.campaigns.create(project, {
      ...{ name: 'June', subject: 'What June brings', body: '<p>Hello</p>', from: 'news@example.com' },
      audienceType: 'ALL',
    })
    const layout = await engine.templates.layouts.create(project, { name: 'Plain', body: '<i>Framed</i>{{ content }}' })
    const stored = async () => (await engine.campaigns.get(project, campaign.id)).campaign
    const page = await opened(`campaigns/${campaign.id}`)
    await press(page, 'Add a variant')
    await page.waitForSelector('[role="tab"][aria-label="Variant B"][aria-selected="true"]')
    await overwrite(page, 'Subject', 'June, in short')
    await until('the draft is saved', async () => (await stored()).variants?.[0]?.subject === 'June, in short')
    await choose(page, 'Layout', 'Plain')
    await until('the layout is saved', async () => (await stored()).variants?.[0]?.layoutId === layout.id)
    expect(await faultsOf(page)).toEqual([])

    await press(page, 'Continue: Sender')
    await page.waitForSelector('::-p-aria([name="Sender name"])')
    await page.click('::-p-aria([name="4. Check"][role="tab"])')
    await page.waitForSelector('[role="tab"][aria-selected="true"] ::-p-text(Variant B)')
    await page.waitForFunction(`document.querySelector('main').innerText.includes('Subject: June, in short')`)
    const frame = `document.querySelector('main iframe').contentDocument?.body?.innerText`
    await page.waitForFunction(`${frame}?.includes('Framed')`)
    expect(await faultsOf(page)).toEqual([])
    await press(page, 'Send a test of B')
    await page.waitForFunction(`document.body.innerText.includes('A test of variant B is on its way')`)
    await until('the test mail is there', () => sink.messages.length === 1, STEP_MS)
    expect(String(sink.messages[0]?.raw)).toContain('Subject: [TEST] June, in short')
    await page.click('::-p-aria([name="Variant A"][role="tab"])')
    await page.waitForFunction(`document.querySelector('main').innerText.includes('Subject: What June brings')`)
    await page.waitForFunction(`${frame}?.includes('Framed') === false`)
    sink.clear()

    await page.goto(`${http.url}/app/p/${project.id}/campaigns/${campaign.id}?step=send`)
    await settled(page)
    await overwrite(page, 'Part in the test, in percent', '50')
    // of forty people, those who are held out are some, for all that chance does
    await overwrite(page, 'Gets nothing, in percent', '20')
    await choose(page, 'The winner is chosen', 'by a person')
    expect(await words(page)).toContain('A, B go to about 8 contacts each. About 16 others wait until a person')
    await press(page, 'Save the test')
    await until('the test is saved', async () => (await stored()).test?.winner === 'manual')
    expect((await stored()).test).toMatchObject({ share: 50, holdOut: 20 })
    expect(await faultsOf(page)).toEqual([])
    await page.waitForSelector('main button:not([disabled]) ::-p-text(Send now)')
    expect(await words(page)).toContain('The test is saved.')
    // at its real place: nothing may lie over it
    await press(page, 'Send now')
    await press(page, 'Send all the same')
    await page.waitForSelector('::-p-aria([name="Send this one to the rest: B"][role="button"])')
    expect(await words(page)).toMatch(/Not enough to tell.*waits for you to choose a variant/s)
    const figures = () => engine.campaigns.variants.results(project, campaign.id)
    await until('the test is out', async () =>
      (await figures()).variants.every(({ sent, recipients }) => sent > 0 && sent === recipients),
    )
    const results = await figures()
    await page.reload()
    await settled(page)
    expect(await faultsOf(page)).toEqual([])
    const table = 'table[aria-label="A/B test"]'
    expect(await page.$$eval(`${table} tbody tr`, (rows) => rows.length)).toBe(3)
    const { sent } = results.variants[1]!
    await page.click(`${table} a[href$="variant=B&sent=true"]`)
    await page.waitForFunction(`document.querySelectorAll('table[aria-label="Recipients"] tbody a').length === ${sent}`)
    expect(await words(page)).toContain('Variant B')
    await page.click(`${table} a[href$="variant=B&metric=true"]`)
    await page.waitForFunction(`document.querySelector('main').innerText.includes('Nothing matches.')`)

    await press(page, 'Send this one to the rest: B')
    await page.waitForFunction(`document.activeElement.closest('[role="dialog"]') !== null`)
    expect(await faultsOf(page)).toEqual([])
    await page.click('[role="dialog"] ::-p-aria([name="Send this one to the rest"][role="button"])')
    await page.waitForFunction(`document.querySelector('main').innerText.includes('B was chosen by a person')`)
    // campaign and figures are two requests
    await page.waitForFunction(`!document.querySelector('main').innerText.includes('Not enough to tell')`)
    await until('it is sent', async () => (await engine.campaigns.get(project, campaign.id)).campaign.status === 'SENT')
    const heldOut = results.heldOut?.recipients ?? 0
    expect(sink.messages).toHaveLength(PEOPLE - heldOut)

    await page.evaluate(`localStorage.setItem('mailwright-language', 'de')`)
    await page.setViewport({ width: 320, height: 700 })
    await page.reload()
    await settled(page)
    expect(await words(page)).toContain('B wurde von einem Menschen gewählt')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
    expect(await faultsOf(page)).toEqual([])
  })
})

/** A page of the project, in English. */
async function opened(path: string): Promise<Page> {
  const context = await browser.createBrowserContext()
  const page = await context.newPage()
  page.setDefaultTimeout(STEP_MS)
  await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }])
  await page.setViewport({ width: 1280, height: 900 })
  await page.goto(`${http.url}/app/`)
  await page.evaluate(`localStorage.setItem('mailwright-language', 'en')`)
  await signIn(page)
  await page.goto(`${http.url}/app/p/${project.id}/${path}`)
  await settled(page)
  return page
}

async function press(page: Page, name: string): Promise<void> {
  await (await page.waitForSelector(`::-p-aria([name="${name}"][role="button"])`))!.click()
}

/** Chooses from a select. */
async function choose(page: Page, label: string, option: string): Promise<void> {
  await (await page.waitForSelector(`::-p-aria([name="${label}"])`))!.click()
  await (await page.waitForSelector(`::-p-aria([name="${option}"][role="option"])`))!.click()
}

/** Writes into a field instead of what it has. */
async function overwrite(page: Page, label: string, text: string): Promise<void> {
  const field = await page.waitForSelector(`::-p-aria([name="${label}"][role="textbox"])`)
  await field!.click({ count: 3 })
  await field!.type(text)
}

async function words(page: Page): Promise<string> {
  return (await page.evaluate(`document.querySelector('main').innerText`)) as string
}
