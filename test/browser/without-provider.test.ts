import net from 'node:net'
import type { Page } from 'puppeteer-core'
import { expect, it, vi } from 'vitest'
import { installationSettings } from '../../config/mail-server.ts'
import { nodeDns } from '../../plugins/dns-node/index.ts'
import { anewOnRetry } from '../support/anew-on-retry.ts'
import { type DnsServer, startDnsServer } from '../support/dns-server.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { look, testBrowser } from './chromium.ts'
import { type AcmeServer, OWNER, settled, signIn, startAcme } from './dashboard-server.ts'
import { faultsOf } from './faults.ts'

const browser = testBrowser()
let server: AcmeServer
let sink: SmtpSink
let names: DnsServer

async function begin(): Promise<void> {
  sink = await startSmtpSink({ at: { host: '127.0.0.2' } })
  names = await startDnsServer({
    'example.com': { MX: [{ exchange: '127.0.0.2', priority: 1 }] },
    'mail.acme.example': { A: ['192.0.2.7'] },
    '1.0.0.127.in-addr.arpa': { PTR: ['host-1.hoster.example'] },
  })
  // no test may listen at port 25
  const connect = net.connect
  vi.spyOn(net, 'connect').mockImplementation(((options: net.TcpNetConnectOpts) =>
    connect(options.port === 25 ? { ...options, port: sink.port } : options)) as typeof net.connect)
  server = await startAcme({
    installation: installationSettings({}),
    dns: nodeDns({ servers: [names.address], timeoutMs: 200, tries: 1 }),
    egress: { allow: ['127.0.0.2/32'] },
  })
}

async function end(): Promise<void> {
  vi.restoreAllMocks()
  await server?.stop()
  await sink?.close()
  await names?.close()
}

anewOnRetry(begin, end)

const named = (name: string, role: string) => `::-p-aria([name="${name}"][role="${role}"])`
const pressed = (page: Page, name: string, role = 'button') => page.locator(named(name, role)).click()
const shows = (page: Page, words: string) =>
  page.waitForFunction(`document.querySelector('body')?.innerText.includes(${JSON.stringify(words)})`)

// catches a form that sends what does not go with it, and warnings of a test that are passed over on saving
it('the operator sends without a provider: names the machine, reads what receivers will not like, and saves all the same', {
  timeout: 120_000,
}, async () => {
  const { installation } = server.engine
  const page = await browser.newPage()
  await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }])
  await page.setViewport({ width: 1280, height: 1300 })
  await page.goto(server.address(`p/${server.project.id}/settings?tab=servers`))
  await signIn(page)
  await page.goto(server.address(`p/${server.project.id}/settings?tab=servers`))
  await pressed(page, 'Provider', 'combobox')
  await page.waitForSelector(named('Another mail server (SMTP)', 'option'))
  const choice = 'Without a provider: this machine hands mail to the receivers itself'
  expect(await page.$(named(choice, 'option'))).toBeNull()

  await installation.changePublicAddress({ url: 'https://mail.acme.example' })
  await page.goto(server.address(`p/${server.project.id}/start?step=transport`))
  await settled(page)
  await pressed(page, 'Provider', 'combobox')
  await pressed(page, choice, 'option')
  await page.waitForSelector('input[value="mail.acme.example"]')
  await installation.changePublicAddress({ url: null })
  for (const label of ['Server', 'Port', 'User', 'Password or key'])
    expect(await page.$(`::-p-aria([name="${label}"])`), label).toBeNull()
  await look(page, 'direct-form')

  await pressed(page, 'Test and save')
  await shows(page, 'the name server of this machine does not answer')
  names.set('gmail.com', 'MX', [{ exchange: '127.0.0.2', priority: 1 }])
  await pressed(page, 'Send a test mail')
  await shows(page, `took the test mail to ${OWNER.email}`)
  expect(await sink.waitFor(1)).toMatchObject([{ from: 'news@example.com', to: [OWNER.email] }])
  await pressed(page, 'Test and save')
  await shows(page, 'The name leads to another address')
  await shows(page, 'The reverse record (PTR) of the address does not name this machine')
  await look(page, 'direct-warnings')
  expect(await faultsOf(page)).toEqual([])
  expect((await installation.mailServers.list()).servers).toEqual([])
  await pressed(page, 'Save all the same')
  await shows(page, 'Without a provider, as mail.acme.example')
  await look(page, 'direct-row')
  expect((await installation.mailServers.list()).servers).toMatchObject([
    { preset: 'direct', host: 'mail.acme.example', hasPassword: false },
  ])

  // another provider begins without the name of the machine
  await pressed(page, 'Change mail.acme.example')
  await pressed(page, 'Provider', 'combobox')
  await pressed(page, 'Another mail server (SMTP)', 'option')
  expect(await page.$eval('input[name="host"]', (field) => field.value)).toBe('')
  await page.setViewport({ width: 390, height: 844 })
  await settled(page)
  // once the menu has slid away
  await page.waitForFunction('document.documentElement.scrollWidth <= innerWidth')
  await look(page, 'direct-narrow')
})
