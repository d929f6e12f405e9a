import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { simpleParser } from 'mailparser'
import type { Page } from 'puppeteer-core'
import { expect, it } from 'vitest'
import { anewOnRetry } from '../support/anew-on-retry.ts'
import { COMPILE_CACHE, freePort, MAIN } from '../support/server-process.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'
import { testBrowser } from './chromium.ts'
import { settled } from './dashboard-server.ts'
import { faultsOf } from './faults.ts'

const ME = { email: 'ada@example.org', password: 'correct horse battery' }
const AUTH = { user: 'shop@example.com', pass: 'a right password' }

const browser = testBrowser()
let sink: SmtpSink
let server: ChildProcess
let link: string
let folder: string

anewOnRetry(
  async () => {
    sink = await startSmtpSink({ auth: AUTH })
    // nothing is set but the port, as in the first lines of the README
    const env = { ...process.env, ...COMPILE_CACHE, PORT: String(await freePort()) }
    folder = mkdtempSync(join(tmpdir(), 'mailwright-first-mail-'))
    server = spawn(process.execPath, [MAIN], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let printed = ''
    server.stdout?.on('data', (chunk) => (printed += chunk))
    server.stderr?.on('data', (chunk) => (printed += chunk))
    link = await until('the link of the first start', async () => /http:\/\/\S+\/auth\/\S+/.exec(printed)?.[0], 60_000)
  },
  async () => {
    server?.kill('SIGTERM')
    if (server?.exitCode === null) await once(server, 'exit')
    await sink?.close()
    rmSync(folder, { recursive: true, force: true })
  },
)

it('a person without a command line comes from the first start to a real mail in the inbox', async () => {
  const page = await browser.newPage()
  await page.setViewport({ width: 1280, height: 800 })
  await page.goto(link)
  await page.type('input[type="email"]', ME.email)
  for (const field of await page.$$('input[type="password"]')) await field.type(ME.password)
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')])
  await page.goto(`${new URL(link).origin}/app/`)
  await page.waitForSelector('nav[aria-label]')
  await settled(page)
  const project = /\/p\/([\w-]+)/.exec(page.url())?.[1]

  // a project with a mail server of its own is no part of that, nor one whose last is gone, which waits
  const asked = await page.evaluate(async () => {
    const post = async (path: string, body: object, project = {}): Promise<{ readonly id: string }> => {
      const headers = { 'content-type': 'application/json', ...project }
      const answer = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
      return (await answer.json()) as { readonly id: string }
    }
    const { id } = await post('/users/@me/projects', { name: 'Own way' })
    const added = await post('/mail-servers', { host: 'smtp.example.com' }, { 'x-project-id': id })
    return { project: id, server: added.id }
  })
  const shownOfOwn = async () => {
    await page.goto(`${new URL(link).origin}/app/p/${asked.project}/`)
    await page.waitForSelector('::-p-text(First steps)')
    await settled(page)
    return await page.evaluate('document.body.innerText')
  }
  expect(await shownOfOwn()).not.toContain('reaches nobody')
  await page.evaluate(
    ({ server, project }) =>
      fetch(`/mail-servers/${server}`, { method: 'DELETE', headers: { 'x-project-id': project } }),
    asked,
  )
  expect(await shownOfOwn()).toContain('it has no mail server')

  // Home says that mail reaches no one, and leads to where that is changed
  await page.goto(`${new URL(link).origin}/app/p/${project}/`)
  await settled(page)
  const leads = await page.waitForSelector('::-p-text(reaches nobody)')
  await leads?.click()
  await page.waitForSelector('::-p-text(How mail leaves this server)')
  await settled(page)

  await choose(page, 'Provider', 'Another mail server')
  await type(page, 'Server', '127.0.0.1')
  // a test that ends after something was changed saves nothing, and says so
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const tested = once(silent, 'connection')
  await type(page, 'Port', String((silent.address() as AddressInfo).port))
  await press(page, 'Test and save')
  const [socket] = await tested
  await type(page, 'Port', String(sink.port))
  socket.destroy()
  silent.close()
  await page.waitForSelector('::-p-text(You changed something during the test)')
  await choose(page, 'Encryption', 'None if need be')
  await type(page, 'User', AUTH.user)
  await type(page, 'Password or key', 'a wrong password')
  await press(page, 'Test and save')
  await page.waitForSelector('::-p-text(refused the user or the password)')
  expect(await faultsOf(page)).toEqual([])
  // a result says nothing of what is typed after it; without a user no login is tried, which is no success
  await type(page, 'User', '')
  await type(page, 'Password or key', '')
  expect(await page.evaluate('document.body.innerText')).not.toContain('refused the user or the password')
  await press(page, 'Test the connection')
  await page.waitForSelector('::-p-text(so no login was tried)')
  await type(page, 'User', AUTH.user)
  await type(page, 'Password or key', AUTH.pass)
  await press(page, 'Send a test mail')
  await page.waitForSelector('::-p-text(took the test mail)')
  expect(await sink.waitFor(1)).toMatchObject([{ from: AUTH.user, to: [ME.email] }])
  await press(page, 'Test and save')
  await page.waitForSelector('::-p-text(Add another mail server)')
  // a second one that does not answer is saved all the same, comes first, is looked at, switched off and deleted
  await press(page, 'Add another mail server')
  await choose(page, 'Provider', 'Another mail server')
  await type(page, 'Server', '127.0.0.1')
  await type(page, 'Port', String(await freePort()))
  await press(page, 'More settings')
  await type(page, 'Name', 'Spare')
  await press(page, 'Test the connection')
  await page.waitForSelector('[role="alert"]')
  await press(page, 'Save all the same')
  await press(page, 'Use Spare earlier')
  await page.waitForSelector('::-p-aria([name="Use 127.0.0.1 earlier"][role="button"])')
  await press(page, 'Change Spare')
  await press(page, 'Cancel')
  const used = '::-p-aria([name="Send through Spare"])'
  await (await page.waitForSelector(used))?.click()
  await page.waitForFunction(`document.querySelector('input[aria-label="Send through Spare"]')?.checked === false`)
  await press(page, 'Delete Spare')
  await page.waitForSelector('[role="dialog"] ::-p-text(Delete Spare?)')
  await press(page, 'Delete')
  await page.waitForSelector(used, { hidden: true })
  await page.setViewport({ width: 390, height: 844 })
  await settled(page)
  expect(await faultsOf(page)).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  await page.setViewport({ width: 1280, height: 800 })

  await page.goto(`${new URL(link).origin}/app/p/${project}/start?step=mail`)
  await settled(page)
  await type(page, 'From', 'hello@example.com')
  await press(page, 'Send')
  const [, mail] = await sink.waitFor(2, 30)
  expect(mail).toMatchObject({ from: 'hello@example.com', to: [ME.email] })
  expect((await simpleParser(mail!.raw)).subject).toContain('A first mail')
  // the sender that works is the project's from then on
  await press(page, 'Send campaigns from hello@example.com, too')
  await page.waitForSelector('::-p-text(Campaigns begin with hello@example.com)')
  await page.goto(`${new URL(link).origin}/app/p/${project}/campaigns/new`)
  await settled(page)
  await page.waitForSelector('input[value="hello@example.com"]')
  await page.goto(`${new URL(link).origin}/app/p/${project}/`)
  await settled(page)
  expect(await page.evaluate('document.body.innerText')).not.toContain('reaches nobody')

  // an address brings its domain along, drafts are written while that waits, and a test mail goes straight to the server
  await page.goto(`${new URL(link).origin}/app/p/${project}/start?step=domain`)
  await settled(page)
  await type(page, 'From', 'ada@gmail.com')
  await press(page, 'Save')
  await page.waitForSelector('::-p-text(At gmail.com you cannot prove)')
  await type(page, 'From', 'hello@waiting.example')
  await press(page, 'Save')
  await page.waitForSelector('::-p-text(_domainkey.waiting.example)')
  await press(page, 'Next')
  await press(page, 'Next')
  await page.waitForSelector('::-p-text(waiting.example is not verified yet)')
  await press(page, 'Send a test mail')
  await page.waitForSelector('::-p-text(took the test mail)')
  expect((await sink.waitFor(3, 30))[2]).toMatchObject({ from: 'hello@waiting.example', to: [ME.email] })
  await page.goto(`${new URL(link).origin}/app/p/${project}/campaigns/new`)
  await settled(page)
  await page.waitForSelector('::-p-text(you can write now, and send after that)')
  await type(page, 'Name', 'Early')
  await type(page, 'Subject', 'Early news')
  await press(page, 'Create draft')
  await page.waitForSelector('.tiptap')
}, 300_000)

async function press(page: Page, name: string): Promise<void> {
  // waits until it stands still
  await page.locator(`::-p-aria([name="${name}"][role="button"])`).click()
}

async function type(page: Page, label: string, text: string): Promise<void> {
  const named = (role: string) => `::-p-aria([name="${label}"][role="${role}"])`
  const field = await page.waitForSelector(`${named('textbox')}, ${named('combobox')}`)
  await field?.click()
  await page.keyboard.down('Control')
  await page.keyboard.press('a')
  await page.keyboard.up('Control')
  if (text === '') await page.keyboard.press('Backspace')
  else await field?.type(text)
}

async function choose(page: Page, label: string, option: string): Promise<void> {
  await (await page.waitForSelector(`::-p-aria([name="${label}"])`))?.click()
  await (await page.waitForSelector(`[role="option"]::-p-text(${option})`))?.click()
}
