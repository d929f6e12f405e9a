import type { Page } from 'puppeteer-core'
import { expect, it } from 'vitest'
import { installationSettings } from '../../config/mail-server.ts'
import { look, testBrowser } from '../browser/chromium.ts'
import { type AcmeServer, settled, signIn, startAcme } from '../browser/dashboard-server.ts'
import { faultsOf } from '../browser/faults.ts'
import { anewOnRetry } from '../support/anew-on-retry.ts'
import { toSink } from '../support/engine.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

const MAIL = { from: 'news@example.com', subject: 'June', body: '<p>Hello</p>' }
const browser = testBrowser()
let server: AcmeServer
let sink: SmtpSink

anewOnRetry(
  async () => {
    sink = await startSmtpSink()
    server = await startAcme({
      transports: [toSink(sink, 'main'), toSink(sink, 'bulk')],
      installation: installationSettings({ transportsFrom: 'transports' }),
      delivery: { threads: 0, mayName: { bulk: true } },
    })
  },
  async () => {
    await server?.stop()
    await sink?.close()
  },
)

const shows = (page: Page, words: string) =>
  page.waitForFunction(`document.querySelector('body')?.innerText.includes(${JSON.stringify(words)})`)
const chosen = async (page: Page, option: string) => {
  await (await page.waitForSelector('::-p-aria([name="Mail server"][role="combobox"])'))?.click()
  await page.locator(`::-p-aria([name="${option}"][role="option"])`).click()
}

// catches a choice that is not sent, one that a later change of other fields takes away, and a name of a mail that is not shown
it('a mail server is chosen for a campaign and for a step, and the page of a mail says what its request named', {
  timeout: 120_000,
}, async () => {
  const { engine, project } = server
  const { campaign } = await engine.campaigns.create(project, { ...MAIL, name: 'June', audienceType: 'ALL' })
  const opened = async (path: string) => {
    const page = await browser.newPage()
    await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }])
    await page.setViewport({ width: 1280, height: 1000 })
    await page.goto(server.address(`p/${project.id}/${path}`))
    return page
  }
  let page = await opened(`campaigns/${campaign.id}?step=sender`)
  await signIn(page)
  await settled(page)
  const stored = async () => (await engine.campaigns.get(project, campaign.id)).campaign.transport
  await chosen(page, 'bulk')
  await until('it is saved', async () => (await stored()) === 'bulk')
  await look(page, 'named-campaign')
  expect(await faultsOf(page)).toEqual([])
  await chosen(page, 'The usual way')
  await until('it is saved', async () => (await stored()) === undefined)

  const { workflow, steps } = await engine.workflows.create(project, {
    ...{ name: 'Welcome', eventName: 'joined' },
    steps: [{ key: 'mail', type: 'SEND_EMAIL', config: { ...MAIL, transport: 'bulk' } }],
    transitions: [{ from: 'trigger', to: 'mail' }],
  })
  page = await opened(`workflows/${workflow.id}`)
  await settled(page)
  await page.click(`[data-step="${steps[1]?.id}"]`)
  await page.waitForSelector('[role="dialog"] form')
  await settled(page)
  await page.setViewport({ width: 390, height: 900 })
  await look(page, 'named-step')
  const config = async () => (await engine.workflows.get(project, workflow.id)).steps[1]?.config
  await page.locator('::-p-aria([name="Not if mailed within (hours)"][role="textbox"])').fill('24')
  await page.keyboard.press('Enter')
  await until('it is saved', async () => (await config())?.unlessMailedWithin === 24)
  expect(await config()).toEqual({ ...MAIL, transport: 'bulk', unlessMailedWithin: 24 })

  const { answer } = await engine.sending.send(project, { ...MAIL, to: 'ada@example.org', transport: 'bulk' })
  page = await opened(`mails/${answer.emails[0]?.email}`)
  await settled(page)
  await page.locator('::-p-aria([name="Show why"][role="button"])').click()
  await shows(page, 'Its request names bulk: it tries that alone, and waits while it cannot go there.')
  await look(page, 'named-mail')
  expect(await faultsOf(page)).toEqual([])
  await page.close()

  // the operator lends another one, while the rules stay
  const { rules } = engine.installation.routes
  await rules.change({ rules: [{ name: 'news', when: { class: 'campaign' }, to: 'main' }] })
  page = await opened('mails')
  await page.goto(server.address('operator/routes'))
  await settled(page)
  const choice = async (option: string) => {
    await page.locator('::-p-aria([name="Projects that may name main"])').click()
    await page.locator(`::-p-aria([name="${option}"][role="option"])`).click()
  }
  await shows(page, 'The configuration lets all projects name it.')
  await choice('Acme')
  await until('it is stored', async () => Array.isArray((await rules.list()).mayName.main))
  expect(await rules.list()).toMatchObject({ mayName: { main: [project.id] }, rules: [{ name: 'news' }] })
  await page.keyboard.press('Escape')
  await look(page, 'named-operator')
  expect(await faultsOf(page)).toEqual([])
  await page.setViewport({ width: 390, height: 900 })
  await look(page, 'named-operator-narrow')
  await choice('All projects')
  await until('it is stored', async () => (await rules.list()).mayName.main === true)
  expect(engine.installation.mayName(project)).toEqual(['main', 'bulk'])
})
