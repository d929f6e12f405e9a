import type { Page } from 'puppeteer-core'
import type { Engine, EngineSettings } from '../../config/library.ts'
import { addProjects } from '../../plugins/kit/sql/copy/add-project.ts'
import { postgresStore } from '../../plugins/store-postgres/copy-side.ts'
import { sqliteSide } from '../../plugins/store-sqlite/copy-side.ts'
import { liveThrough, type MadeProject } from '../../server/demo/history.ts'
import { listen } from '../../server/http/http-server.ts'
import type { App } from '../../server/index.ts'
import { toSink } from '../support/engine.ts'
import { ANY } from '../support/matrix.ts'
import { freePort } from '../support/server-process.ts'
import { type SmtpSink, type SmtpSinkOptions, startSmtpSink } from '../support/smtp-sink.ts'
import { createApp, createEngine, silentLog } from './compiled.ts'

/** Who owns all projects. */
export const OWNER = { email: 'ada@example.com', password: 'correct horse battery' } as const

/** A server with the compiled dashboard, the project of `mailwright demo`, and a second one that is empty. */
export interface DashboardServer {
  readonly engine: Engine
  /** Of the dashboard, with a slash at its end. */
  readonly url: string
  readonly demo: Awaited<ReturnType<Engine['projects']['get']>>
  readonly second: Awaited<ReturnType<Engine['projects']['get']>>
  readonly sink: SmtpSink
  stop(): Promise<void>
}

/** The project of `mailwright demo` with so many contacts, in a file of its own. */
export function makeDemo(contacts: number): Promise<MadeProject> {
  const options = { name: 'Demo', contacts, seed: 1, publicUrl: 'http://127.0.0.1', onDay() {} }
  return liveThrough({ ...options, signal: new AbortController().signal })
}

/** Copies it into a PostgreSQL database, while no server has the file open. */
export async function copyDemo({ file }: MadeProject, url: string): Promise<void> {
  const [from, into] = [await sqliteSide(file, 'from'), await postgresStore({ url }, 'into')]
  await addProjects(from, into)
  await Promise.all([from.close(), into.close()])
}

/** Serves the demo, which is in this store, as `demo` sets it, within what `around` makes of the app. Webhooks may reach this machine. */
export async function startDashboard(
  store: EngineSettings['store'],
  sinkOptions: SmtpSinkOptions = {},
  demo?: NonNullable<EngineSettings['projects']>[number],
  around: (app: App) => App = (app) => app,
): Promise<DashboardServer> {
  const port = await freePort()
  const sink = await startSmtpSink(sinkOptions)
  const engine = await createEngine({
    ...{ store, publicUrl: `http://127.0.0.1:${port}`, transports: [toSink(sink)], log: silentLog },
    projects: [{ name: 'Second', trustedDomains: ['second.example'] }, ...(demo ? [demo] : [])],
    egress: { allow: ['127.0.0.0/8'] },
    accounts: { passwordCost: 10, from: 'accounts@example.com', project: 'Demo' },
    delivery: { threads: 0 },
  })
  await engine.accounts.make(OWNER, 'new', { owns: true })
  await engine.start()
  const app = createApp(engine, { log: false, requestsPerMinute: 1_000_000 })
  const http = await listen(around(app), { host: '127.0.0.1', port }, silentLog)
  const projects = await engine.projects.list()
  const called = (wanted: string) => {
    const found = projects.find(({ name }) => name === wanted)
    if (found === undefined) throw new Error(`there is no project ${wanted}`)
    return found
  }
  return {
    ...{ engine, sink, url: `${http.url}/app/`, demo: called('Demo'), second: called('Second') },
    async stop() {
      await http.close(0)
      await engine.stop()
      await sink.close()
    },
  }
}

/** A server with one project, Acme, and `OWNER`. */
export interface AcmeServer {
  readonly engine: Engine
  readonly project: Awaited<ReturnType<Engine['projects']['get']>>
  /** The address of a page of the dashboard, such as `p/<id>/campaigns`. */
  address(path: string): string
  stop(): Promise<void>
}

/** Serves the compiled dashboard over an empty store. */
export async function startAcme(settings: Partial<EngineSettings> = {}): Promise<AcmeServer> {
  const port = await freePort()
  const engine = await createEngine({
    ...{ store: ANY.store(), publicUrl: `http://127.0.0.1:${port}`, log: silentLog },
    projects: [{ name: 'Acme', trustedDomains: ['example.com'], from: 'Acme <news@example.com>' }],
    accounts: { passwordCost: 10 },
    delivery: { threads: 0 },
    ...settings,
  })
  await engine.accounts.make(OWNER, 'new', { owns: true })
  await engine.start()
  const http = await listen(createApp(engine, { log: false }), { host: '127.0.0.1', port }, silentLog)
  const [project] = await engine.projects.list()
  if (project === undefined) throw new Error('there is no project')
  return {
    ...{ engine, project, address: (path: string) => `${http.url}/app/${path}` },
    async stop() {
      await http.close(0)
      await engine.stop()
    },
  }
}

/** Signs in by the form, which must be open, and waits for the page that comes after it. */
export async function signIn(
  page: Page,
  { email, password }: { readonly email: string; readonly password: string } = OWNER,
): Promise<void> {
  await signInShown(page)
  await page.type('input[type="email"]', email)
  await page.type('input[type="password"]', password)
  await page.keyboard.press('Enter')
  await page.waitForSelector('nav[aria-label]')
  await settled(page)
}

/** Signs in, unless another page of this browser has, and waits for the page that comes after it. */
export async function enter(page: Page): Promise<void> {
  const first = await page.waitForSelector('input[type="email"], nav[aria-label]')
  await ((await first?.evaluate(({ nodeName }) => nodeName)) === 'INPUT' ? signIn(page) : settled(page))
}

/** Waits for the form to sign in; when it does not come, the error shows what there is instead. */
export async function signInShown(page: Page): Promise<void> {
  await page.waitForSelector('input[type="email"]').catch(async (cause) => {
    throw new Error(`${page.url()} has no form to sign in: ${await page.evaluate('document.body.innerHTML')}`, {
      cause,
    })
  })
}

/** Waits until a page is there with all that it asked for. */
export async function settled(page: Page): Promise<void> {
  const busy = `document.querySelector('[aria-busy="true"], .mantine-Skeleton-root, .mantine-Loader-root')`
  await page.waitForFunction(`document.querySelector('main h1') !== null && ${busy} === null`).catch(async (cause) => {
    const left = await page.evaluate(`document.body.innerText + ${busy}?.outerHTML`)
    throw new Error(`${page.url()} does not come to rest: ${left}`, { cause })
  })
}

/** Collects the errors and the requests of a page from now on. */
export function watched(page: Page) {
  const complaints: string[] = []
  const requests: string[] = []
  page.on('console', (message) => {
    if (['error', 'warn'].includes(message.type())) complaints.push(`${page.url()}: ${message.text()}`)
  })
  page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error}`))
  page.on('request', (request) => requests.push(request.url()))
  return { complaints, requests }
}

/** The addresses of all pages in the menu, which is made of `shell/pages.ts`. */
export async function menuOf(page: Page): Promise<readonly string[]> {
  return (await page.evaluate(
    `[...document.querySelectorAll('nav a[href^="/app/"]')].map(({ href }) => href)`,
  )) as string[]
}
