import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEngine, type Engine, silentLog } from '../../config/library.ts'
import { outbox } from '../../plugins/mail-outbox/index.ts'
import { listen } from '../../server/http/http-server.ts'
import { createApp } from '../../server/index.ts'
import { ANY } from '../support/matrix.ts'
import { freePort } from '../support/server-process.ts'
import { until } from '../support/until.ts'
import { launchChromium } from './chromium.ts'
import { faultsOf, OWNER, settled, signIn } from './dashboard-server.ts'

let browser: Browser
let engine: Engine
let project: Awaited<ReturnType<Engine['projects']['list']>>[number]
let http: Awaited<ReturnType<typeof listen>>
const folder = mkdtempSync(join(tmpdir(), 'mailwright-question-'))

beforeAll(async () => {
  browser = await launchChromium()
  const port = await freePort()
  engine = await createEngine({
    ...{ store: ANY.store(), publicUrl: `http://127.0.0.1:${port}`, log: silentLog },
    transports: [outbox({ directory: folder })],
    projects: [{ name: 'Acme', trustedDomains: ['example.com'], from: 'Acme <news@example.com>' }],
    accounts: { passwordCost: 10 },
    delivery: { threads: 0 },
  })
  await engine.accounts.make(OWNER, 'new', { owns: true })
  await engine.start()
  http = await listen(createApp(engine, { log: false }), { host: '127.0.0.1', port }, silentLog)
  project = (await engine.projects.list())[0]!
}, 120_000)
afterAll(async () => {
  await browser?.close()
  await http?.close(0)
  await engine?.stop()
  rmSync(folder, { recursive: true, force: true })
})

describe('before mail goes out', { timeout: 120_000 }, () => {
  it('a campaign is asked about with all that is wrong with it, and the way to mend each', async () => {
    const { topics } = engine.subscriptions
    await topics.create(project, { name: 'Tips', standing: 'in' })
    for (const email of ['ada@example.com', 'bob@example.com'])
      await engine.contacts.upsert(project, { email, subscribed: true })
    await topics.choose(project, 'bob@example.com', { topics: [{ topic: 'tips', subscribed: false }] })
    const { campaign } = await engine.campaigns.create(project, {
      ...{ name: 'June', subject: 'June', from: 'news@example.com', audienceType: 'ALL' },
      body: '<p>Hello, this is what June brings.</p><p>[Your name]</p><p><a href="https://example.com/">Read</a></p>',
    })
    const page = await open(`p/${project.id}/campaigns/${campaign.id}?step=send`)
    await press(page, 'Send now')
    const dialog = await dialogText(page)
    expect(dialog).toContain('the mail is written to a folder')
    expect(dialog).toContain('“[Your name]”')
    expect(dialog).toContain('“https://example.com/”')
    expect(dialog).toContain('has no postal address')
    expect(dialog).toContain('No topic is chosen: one person who has left a topic gets this mail all the same.')
    expect(await page.evaluate(`document.activeElement.textContent`)).toBe('Cancel')
    expect(await faultsOf(page)).toEqual([])
    await (await page.waitForSelector('[role="dialog"] button::-p-text(To the audience)'))!.click()
    await page.waitForFunction(`location.search === '?step=audience' && !document.querySelector('[role="dialog"]')`)
    await page.goBack()
    await press(page, 'Send now')
    await press(page, 'Send all the same')
    await until('it is sent', async () => (await engine.campaigns.get(project, campaign.id)).campaign.status === 'SENT')
  })
})

async function open(path: string): Promise<Page> {
  const context = await browser.createBrowserContext()
  const page = await context.newPage()
  await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }])
  await page.setViewport({ width: 1280, height: 900 })
  await page.goto(`${http.url}/app/${path}`)
  await signIn(page)
  await settled(page)
  return page
}

async function press(page: Page, name: string): Promise<void> {
  await (await page.waitForSelector(`::-p-aria([name="${name}"][role="button"]):not([data-disabled])`))!.click()
}

async function dialogText(page: Page): Promise<string> {
  await page.waitForSelector('[role="dialog"] li')
  return page.$eval('[role="dialog"]', (box) => (box as unknown as { innerText: string }).innerText)
}
