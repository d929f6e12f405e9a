import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'puppeteer-core'
import { expect, it, onTestFinished } from 'vitest'
import { anewOnRetry } from '../support/anew-on-retry.ts'
import { HOST_KEY, linkPackages, linkProduct, type MountedHost, SESSIONS, startHost } from '../support/mounted-host.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { STEP_MS, testBrowser } from './chromium.ts'
import { settled } from './dashboard-server.ts'
import { faultsOf } from './faults.ts'

// The example of docs/mounting.md with the sessions of Express, in a browser: whether the cookie of another program opens
// the dashboard below its prefix, and what a page of another site can do with it, is seen nowhere else.

/** The pages of the host: its own login, its way out, and the session that ends by itself. */
const PAGES = `
const form = (to) => '<title>Acme</title><h1>Acme</h1><form method="post"><input type="hidden" name="to" value="' +
  encodeURI(to) + '"><button name="role" value="ADMIN">Ada, admin</button><button name="role" value="MEMBER">Bob, member</button></form>'
server.get('/login', (request, response) => response.type('html').send(form(String(request.query.to))))
server.post('/login', express.urlencoded(), (request, response) => {
  const { role, to } = request.body
  request.session.user = role === 'ADMIN'
    ? { id: '42', email: 'ada@acme.example', name: 'Ada', role }
    : { id: '43', email: 'bob@acme.example', name: null, role }
  response.redirect(to)
})
server.get('/logout', (request, response) => {
  request.session.destroy(() => response.type('html').send('<h1>Goodbye</h1>'))
})
`

let folder: string
let sink: SmtpSink
let host: MountedHost
const browser = testBrowser()

anewOnRetry(
  async () => {
    folder = mkdtempSync(join(tmpdir(), 'mailwright-host-login-'))
    linkProduct(folder)
    linkPackages(folder, ['express', 'express-session'])
    sink = await startSmtpSink()
    host = await startHost(folder, { under: SESSIONS, after: PAGES, smtpPort: sink.port })
  },
  async () => {
    await host?.stop()
    await sink?.close()
    if (folder) rmSync(folder, { recursive: true, force: true })
  },
)

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
const api = async (path: string): Promise<any> =>
  (await fetch(`${host.url}${path}`, { headers: { authorization: `Bearer ${HOST_KEY}` } })).json()

async function tab(): Promise<Page> {
  const context = await browser.createBrowserContext()
  onTestFinished(() => context.close())
  const page = await context.newPage()
  page.setDefaultTimeout(STEP_MS)
  await page.evaluateOnNewDocument(`localStorage.setItem('mailwright-language', 'en')`)
  return page
}

/** Logs in at the host from the sign-in page of the dashboard. */
async function logIn(page: Page, role: 'ADMIN' | 'MEMBER'): Promise<void> {
  await page.waitForSelector('a ::-p-text(Sign in at the app)')
  await Promise.all([page.waitForNavigation(), page.click('a ::-p-text(Sign in at the app)')])
  expect(await page.title()).toBe('Acme')
  await Promise.all([page.waitForNavigation(), page.click(`button[value="${role}"]`)])
  await page.waitForSelector('nav[aria-label]')
  await settled(page)
}

it('a session of Express opens the dashboard, names its person, and ends at the host', {
  timeout: 120_000,
}, async () => {
  const page = await tab()
  await page.goto(`${host.url}/app/`)
  await page.waitForSelector('input[type="password"]')
  expect(await faultsOf(page)).toEqual([])
  await logIn(page, 'ADMIN')
  expect(page.url()).toMatch(/\/mail\/app\/p\/[0-9a-f-]+$/)
  expect(await page.$('input[type="password"]')).toBeNull()

  // one project, and no way to make another
  await page.click('[aria-label^="Switch project"]')
  await page.waitForSelector('[role="menuitem"]')
  const items = await page.evaluate(
    `[...document.querySelectorAll('[role="menuitem"]')].map((item) => item.textContent)`,
  )
  expect(items).toEqual(['Acme'])
  await page.keyboard.press('Escape')

  // campaigns: a list, and one that is made
  const project = page.url().split('/').at(-1)
  await page.goto(`${host.url}/app/p/${project}/campaigns`)
  await settled(page)
  await page.click('::-p-aria([name="New campaign"])')
  await page.waitForSelector('main ::-p-aria([name="Name"][role="textbox"])')
  await page.type('main ::-p-aria([name="Name"][role="textbox"])', 'Autumn')
  await page.type('main ::-p-aria([name="Subject"][role="textbox"])', 'News')
  await page.keyboard.press('Enter')
  await page.waitForFunction(`/\\/campaigns\\/[0-9a-f-]{36}/.test(location.pathname)`)
  await settled(page)
  expect((await api('/campaigns')).data).toMatchObject([{ name: 'Autumn' }])

  // every page of the menu
  const links = (await page.evaluate(
    `[...document.querySelectorAll('nav[aria-label] a')].map(({ href }) => href)`,
  )) as string[]
  expect(links.length).toBeGreaterThan(12)
  for (const link of links.filter((each) => each.includes('/app/p/'))) {
    await page.goto(link)
    await settled(page)
    expect(await page.$('[role="alert"]'), link).toBeNull()
  }

  // who did it
  await page.goto(`${host.url}/app/p/${project}/settings?tab=audit`)
  await page.waitForSelector('tbody ::-p-text(ada@acme.example)')
  const [entry] = (await api('/audit')).data
  expect(entry).toMatchObject({ action: 'createCampaign', actor: { id: 'host:42', name: 'ada@acme.example' } })

  // the account is the host's
  await page.goto(`${host.url}/app/account`)
  await settled(page)
  expect(await page.evaluate('document.querySelector("main").innerText')).toContain('Ada <ada@acme.example>')
  expect(await page.$('main form')).toBeNull()
  expect(await faultsOf(page)).toEqual([])

  await page.click('button[aria-label="My account"]')
  await page.waitForSelector('a[role="menuitem"][href="/logout"]')
  await Promise.all([page.waitForNavigation(), page.click('a[role="menuitem"][href="/logout"]')])
  expect(await page.evaluate('document.body.innerText')).toBe('Goodbye')
  await page.goto(`${host.url}/app/p/${project}/contacts`)
  await page.waitForSelector('input[type="password"]')
  // and back to where one was
  await logIn(page, 'MEMBER')
  expect(page.url()).toBe(`${host.url}/app/p/${project}/contacts`)
  // a member changes nothing
  expect(await page.$('::-p-aria([name="New contact"])')).toBeNull()
})

it('a page of another site reads nothing and changes nothing with it', async () => {
  const page = await tab()
  await page.goto(`${host.url}/app/`)
  await logIn(page, 'ADMIN')
  const elsewhere = createServer((_request, response) => response.end('<h1>Evil</h1>'))
  elsewhere.listen(0, '127.0.0.1')
  await once(elsewhere, 'listening')
  onTestFinished(() => void elsewhere.close())
  const project = page.url().split('/').at(-1)
  // another port is another origin, and yet of the same site: the cookie goes along
  await page.goto(`http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`)
  const answers = page.evaluate(
    async (url, id) => {
      const ask = (path: string, init: RequestInit) =>
        fetch(`${url}${path}`, { credentials: 'include', ...init }).then(
          ({ status, type }) => `${type} ${status}`,
          () => 'refused',
        )
      const body = JSON.stringify({ email: 'evil@example.org' })
      return [
        await ask('/users/@me', {}),
        await ask('/contacts', { method: 'POST', mode: 'no-cors', headers: { 'content-type': 'text/plain' }, body }),
        await ask(`/projects/${id}/keys`, { method: 'POST', mode: 'no-cors', body }),
        await ask('/contacts', { method: 'POST', headers: { 'x-project-id': id ?? '' }, body }),
      ]
    },
    host.url,
    project,
  )
  expect(await answers).toEqual(['refused', 'opaque 0', 'opaque 0', 'refused'])
  expect(await api('/contacts')).toMatchObject({ data: [] })
  expect(await api(`/projects/${project}/keys`)).toHaveLength(1)
})

it('somebody without a project is told so, and is shown no way out where the host names none', async () => {
  const bare = await startHost(folder, {
    ...{ under: SESSIONS, after: PAGES, smtpPort: sink.port },
    changed: (code) => code.replace('[project.id]: user.role', '').replace(/^ *hostPages: .*\n/m, ''),
  })
  onTestFinished(() => bare.stop())
  const page = await tab()
  await page.goto(`${bare.url}/app/`)
  await page.waitForSelector('input[type="password"]')
  expect(await page.evaluate('document.body.innerText')).not.toContain('Sign in at the app')
  await page.goto(`${new URL(bare.url).origin}/login?to=/mail/app/`)
  await Promise.all([page.waitForNavigation(), page.click('button[value="MEMBER"]')])
  await page.waitForSelector('main h1')
  await settled(page)
  expect(page.url()).toBe(`${bare.url}/app/account`)
  const said = await page.evaluate('document.querySelector("main").innerText')
  expect(said).toContain('You are not a member of any project yet.')
  expect(said).toContain('bob@acme.example')
  await page.click('button[aria-label="My account"]')
  await page.waitForSelector('[role="menu"] ::-p-text(Language)')
  expect(await page.evaluate(`document.querySelector('[role="menu"]').innerText`)).not.toContain('Sign out')
})
