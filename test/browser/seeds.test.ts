import type { Page } from 'puppeteer-core'
import { expect, it } from 'vitest'
import { installationSettings } from '../../config/mail-server.ts'
import type { Seeds } from '../../core/seeds/seeds.ts'
import { roomBehind } from '../../core/start/asked-doors.ts'
import { anewOnRetry } from '../support/anew-on-retry.ts'
import { toSink } from '../support/engine.ts'
import { type ImapServer, startImapServer } from '../support/imap-server.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'
import { look, testBrowser } from './chromium.ts'
import { type AcmeServer, settled, signIn, startAcme } from './dashboard-server.ts'
import { faultsOf } from './faults.ts'

const browser = testBrowser()
let server: AcmeServer
let sink: SmtpSink
let imap: ImapServer

anewOnRetry(
  async () => {
    sink = await startSmtpSink()
    imap = await startImapServer()
    imap.mailbox('Spam')
    const given = { transports: [toSink(sink)], installation: installationSettings({}) }
    server = await startAcme({ ...given, egress: { allow: ['127.0.0.0/8'] } })
  },
  async () => {
    await server?.stop()
    await sink?.close()
    await imap?.close()
  },
)

const pressed = (page: Page, name: string, role = 'button') =>
  page.locator(`::-p-aria([name="${name}"][role="${role}"])`).click()
const shows = (page: Page, text: string) =>
  page.waitForFunction(`document.body.innerText.includes(${JSON.stringify(text)})`)

// catches a form that cannot be saved, and a result that the check of a campaign does not show
it('a mailbox is added in the settings, and the check of a campaign shows where its mail landed', {
  timeout: 120_000,
}, async () => {
  const { engine, project } = server
  const page = await browser.newPage()
  await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }])
  await page.setViewport({ width: 1280, height: 900 })
  await page.goto(server.address(`p/${project.id}/settings?tab=seeds`))
  await signIn(page)
  await shows(page, 'There are no mailboxes')
  await pressed(page, 'Add a mailbox')
  await page.locator('input[name="address"]').fill('acme.seeds@gmx.example')
  await page.locator('input[name="host"]').fill('127.0.0.1')
  await page.locator('input[name="user"]').fill('box')
  await page.locator('input[name="port"]').fill(String(imap.port))
  await (await page.waitForSelector('::-p-aria([name="Encryption"][role="combobox"])'))?.click()
  await pressed(page, 'None if need be', 'option')
  await page.locator('input[name="password"]').fill('wrong')
  const save = '[role="dialog"] button[type="submit"]'
  await page.locator(save).click()
  await shows(page, 'the server refuses the login')
  await look(page, 'seed-mailbox')
  await page.locator('input[name="password"]').fill('open sesame')
  await page.locator(save).click()
  await until('it is added', async () => (await engine.seeds.mailboxes(project)).length === 1)
  await settled(page)
  await look(page, 'seed-mailboxes')
  expect(await faultsOf(page)).toEqual([])

  const campaign = { name: 'News', subject: 'News', body: '<p>News</p>', from: 'news@example.com' }
  const {
    campaign: { id },
  } = await engine.campaigns.create(project, { ...campaign, audienceType: 'ALL' })
  await page.goto(server.address(`p/${project.id}/campaigns/${id}?step=check`))
  await pressed(page, 'Send to the mailboxes')
  await shows(page, 'Not there yet')
  const mail = await until('the mail', () => sink.messages.at(-1))
  imap.append(mail.raw, {}, 'Spam')
  await roomBehind<Seeds>(engine.seeds).lookAll(new AbortController().signal)
  await page.waitForFunction(`document.querySelector('main table')?.innerText.includes('Spam')`)
  await settled(page)
  await look(page, 'seed-test')
  expect(await faultsOf(page)).toEqual([])
  await page.setViewport({ width: 390, height: 800 })
  await page.evaluate(`localStorage.setItem('mailwright-language', 'de')`)
  await page.goto(server.address(`p/${project.id}/campaigns/${id}?step=check`))
  await shows(page, 'Wo die Mail landet')
  await page.waitForFunction('document.documentElement.scrollWidth <= innerWidth')
  await look(page, 'seed-test-phone')
  await page.evaluate(`localStorage.removeItem('mailwright-language')`)
  await page.goto(server.address(`p/${project.id}/settings?tab=seeds`))
  await pressed(page, 'Remove')
  await (await page.waitForSelector('[role="dialog"] button::-p-text(Remove)'))?.click()
  await until('it is removed', async () => (await engine.seeds.mailboxes(project)).length === 0)
})
