import { expect, it, onTestFinished } from 'vitest'
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

const browser = testBrowser()
let engine: Engine
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
  },
  async () => {
    await http?.close(0)
    await engine?.stop()
    await sink?.close()
  },
)

it('the figure of those whom a campaign left out opens them, and each reason its own', async () => {
  const project = (await engine.projects.list())[0]!
  for (const name of ['ada', 'bob', 'eve']) await engine.contacts.upsert(project, { email: `${name}@example.org` })
  await engine.contacts.upsert(project, { email: 'off@example.org', subscribed: false })
  await engine.contacts.upsert(project, { email: 'out@example.org', subscribed: false })
  await engine.suppressions.add(project, { email: 'eve@example.org' })
  const filters = { operator: 'AND', conditions: [{ field: 'email', operator: 'contains', value: '@' }] } as const
  const segment = await engine.segments.create(project, { name: 'Any', type: 'DYNAMIC', filters })
  const { campaign } = await engine.campaigns.create(project, {
    ...{ name: 'June', subject: 'June', body: '<p>Hello</p>', from: 'news@example.com' },
    ...{ audienceType: 'SEGMENT', segmentId: segment.id },
  })
  await engine.campaigns.send(project, campaign.id)
  const state = async () => (await engine.campaigns.get(project, campaign.id)).campaign.status
  await until('it is sent', async () => (await state()) === 'SENT')
  const page = await browser.newPage()
  onTestFinished(() => page.close())
  await page.setViewport({ width: 1280, height: 900 })
  page.setDefaultTimeout(STEP_MS)
  await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }])
  await page.goto(`${http.url}/app/`)
  await page.evaluate(`localStorage.setItem('mailwright-language', 'en')`)
  await signIn(page)
  await page.goto(`${http.url}/app/p/${project.id}/campaigns/${campaign.id}`)
  await settled(page)
  const words = async () => String(await page.evaluate(`document.querySelector('main').innerText`))
  await (await page.waitForSelector(`main a[href$="/${campaign.id}?tab=left-out"]`))!.click()
  await page.waitForSelector('main ::-p-text(off@example.org)')
  for (const word of ['eve@example.org', 'out@example.org', 'Blocked', 'Unsubscribed']) {
    expect(await words()).toContain(word)
  }
  expect(await words()).not.toContain('ada@example.org')
  await (await page.waitForSelector('::-p-aria([name="Reason"][role="combobox"])'))!.click()
  await (await page.waitForSelector('::-p-aria([name="Unsubscribed: 2"][role="option"])'))!.click()
  await page.waitForFunction(`!document.querySelector('main').innerText.includes('eve@example.org')`)
  await settled(page)
  expect(await faultsOf(page)).toEqual([])
  // what its recipients were chosen by is deleted: nothing waits for a number that never comes
  await engine.segments.remove(project, segment.id)
  await page.goto(`${http.url}/app/p/${project.id}/campaigns/${campaign.id}`)
  await settled(page)
  await (await page.waitForSelector('::-p-aria([name="Send to others"][role="button"])'))!.click()
  await page.waitForSelector('[role="menu"] ::-p-text(cannot be sent again)')
  const menu = await page.evaluate(`document.querySelector('[role="menu"]').innerText`)
  expect(menu).not.toContain('…')
}, 120_000)
