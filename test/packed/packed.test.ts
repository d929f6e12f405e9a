import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { OPTIONAL_PACKAGES } from '../../core/plugin/optional-packages.ts'
import { ROUTES } from '../../server/app.ts'
import { pathParameters } from '../../server/openapi/path-parameters.ts'
import { anewOnRetry } from '../support/anew-on-retry.ts'
import { type DnsServer, startDnsServer } from '../support/dns-server.ts'
import { EXAMPLES, EXAMPLES_CLOCK, sendExample } from '../support/example-requests.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { commandsOf, runPage } from '../support/run-page.ts'
import { freePort } from '../support/server-process.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'
import {
  asker,
  heavyMail,
  muchToKeep,
  mustSucceed,
  otherMail,
  people,
  readers,
  refusedCampaign,
  sentBySql,
  signUp,
  type Visited,
  writtenMail,
} from './visits.ts'

// The product as users get it: packed, installed in an empty folder without packages for developers, started by its command.

const run = promisify(execFile)
const OPERATOR = 'the-key-of-the-operator'
const METRICS = 'the-key-of-the-metrics'
const keyOf = (at: number) => `sk_${String(at).padStart(48, '0')}`
/** Examples about a domain, which belongs to one project at a time. */
const ABOUT_DOMAINS = EXAMPLES.filter(({ route }) => route.path.startsWith('/domains'))

let folder: string
let product: string
let names: DnsServer
let sink: SmtpSink

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mailwright-packed-'))
  product = join(folder, 'node_modules/mailwright')
  names = await startDnsServer({
    'example.org': { NS: ['ns.example.org'], MX: [{ exchange: 'mx.example.org', priority: 1 }] },
  })
  sink = await startSmtpSink({
    judge: ({ to: [to = ''] }) => (to.startsWith('refused.') ? { code: 550, message: '5.7.1 no' } : undefined),
    // a campaign to this one is under way long enough to be paused
    server: {
      onRcptTo: ({ address }, _session, next) => setTimeout(next, address === 'reader@example.org' ? 2000 : 0),
    },
  })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'empty', private: true }))
  const quiet = ['--omit=dev', '--prefer-offline', '--no-audit', '--no-fund']
  await run('npm', ['install', ...quiet, inject('tarball'), ...Object.values(OPTIONAL_PACKAGES).flat()], {
    cwd: folder,
  })
}, 300_000)

afterAll(async () => {
  await names?.close()
  await sink?.close()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

it('loads every file of the package', async () => {
  const files = globSync('dist/**/*.js', { cwd: product }).filter(
    (file) => !/dashboard\/|swagger-ui\/|-thread\.js$|server\/(main|bin)\.js$/.test(file),
  )
  expect(files.length).toBeGreaterThan(150)
  const program = `
    const failed = []
    for (const file of ${JSON.stringify(files.map((file) => pathToFileURL(join(product, file)).href))}) {
      try { await import(file) } catch (error) { failed.push(file + ': ' + error) }
    }
    console.log(JSON.stringify(failed))
    process.exit()`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], { cwd: folder })
  // an author who tests a plugin has it
  const failed = (JSON.parse(stdout) as string[]).filter((why) => !why.includes("Cannot find package 'vitest'"))
  expect(failed).toEqual([])
})

interface Answered {
  readonly method: string | undefined
  readonly route: string | undefined
  readonly status: number
}

/** Notes each thread that answers something, in a file. */
const WATCH = `
  import threads from 'node:worker_threads'
  import { appendFileSync } from 'node:fs'
  import { syncBuiltinESMExports } from 'node:module'
  const { Worker } = threads
  threads.Worker = class extends Worker {
    constructor(file, options) {
      super(file, options)
      this.once('message', () => appendFileSync('threads', String(file) + '\\n'))
    }
  }
  syncBuiltinESMExports()`

describe.each(['SQLite', 'PostgreSQL'])('the packed server on %s', (store) => {
  let server: Visited
  let stop: () => Promise<number | null>
  let printed = ''
  /** The answers of the servers of earlier tries: the last tests look at all visits. */
  const earlier: Answered[] = []

  const begin = async () => {
    const home = mkdtempSync(join(folder, `${store}-`))
    printed = ''
    sink.clear()
    const [port, inboundPort, submissionPort] = [await freePort(), await freePort(), await freePort()]
    const url = `http://127.0.0.1:${port}`
    const mark = store.toLowerCase()
    // the first user owns the 100 oldest projects, and this one has no owner
    const [project, key] = ['ffffffff-0000-7000-8000-000000000000', keyOf(EXAMPLES.length)]
    const hookSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
    const database = store === 'PostgreSQL' ? { use: 'postgres', options: { url: await freshDatabase() } } : undefined
    const here = { host: '127.0.0.1' }
    const config = {
      server: { port, publicUrl: url },
      ...(database ? { store: database, queue: database, scheduler: database } : {}),
      dns: { servers: [names.address], options: { timeoutMs: 200, tries: 1 } },
      transports: [{ use: 'smtp', options: { ...here, port: sink.port, tls: { rejectUnauthorized: false } } }],
      inbound: [{ use: 'smtp-server', options: { ...here, port: inboundPort, hostname: 'mx.example.com' } }],
      submission: [{ use: 'smtp-server', options: { ...here, port: submissionPort } }],
      hooks: [{ name: 'bridge', use: 'signed', options: { secret: hookSecret } }],
      delivery: { threads: 1 },
      limits: { requestsPerMinute: 1_000_000 },
      accounts: {
        ...{ signup: true, from: 'accounts@example.com', project: 'Visited', passwordCost: 10 },
        oauth: { github: { clientId: 'id', clientSecret: 'secret' } },
      },
      projects: [
        ...EXAMPLES.map((_, at) => ({ name: `P${at}`, secretKey: keyOf(at), trustedDomains: ['example.com'] })),
        { name: 'Readme', secretKey: keyOf(EXAMPLES.length + 1), trustedDomains: ['example.com'] },
        { id: project, name: 'Visited', secretKey: key, trustedDomains: ['example.com', `${mark}.example`] },
      ],
      operator: { key: OPERATOR },
      metrics: { key: METRICS },
      log: { level: 'warn', format: 'json' },
    }
    writeFileSync(join(home, 'mailwright.config.json'), JSON.stringify(config))
    writeFileSync(join(home, 'watch.mjs'), WATCH)
    const child = spawn(join(folder, 'node_modules/.bin/mailwright'), ['serve'], {
      ...{ cwd: home, stdio: ['ignore', 'pipe', 'pipe'] },
      env: { ...process.env, NODE_OPTIONS: '--import ./watch.mjs' },
    })
    const ended = once(child, 'exit')
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk))
    stop = async () => {
      child.kill('SIGTERM')
      const [code] = await ended
      return code as number | null
    }
    while (!(await fetch(`${url}/health/live`).catch(() => undefined))?.ok) {
      if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}:\n${printed}`)
      await pause(50)
    }
    const [setUpLink] = await until('the set-up link', () => /http\S+\/auth\/setup\/[\w-]+/.exec(printed))
    server = {
      database: database?.options.url,
      url,
      project,
      key,
      sink,
      inboundPort,
      submissionPort,
      hookSecret,
      mark,
      setUpLink,
    }
  }
  const end = async () => {
    earlier.push(...(await answers().catch(() => [])))
    await stop?.()
  }
  anewOnRetry(begin, end)

  it('answers every example of the document with success', async () => {
    const later = Date.now() - EXAMPLES_CLOCK.getTime()
    const failed: string[] = []
    const send = async (example: (typeof EXAMPLES)[number]) => {
      const ask = asker(server.url, keyOf(EXAMPLES.indexOf(example)))
      await sendExample(ask, example, later).catch((error) => failed.push(`${example.name}: ${error.message}`))
    }
    const oneByOne = async () => {
      for (const example of ABOUT_DOMAINS) await send(example)
    }
    const others = EXAMPLES.filter((example) => !ABOUT_DOMAINS.includes(example))
    await Promise.all([oneByOne(), ...others.map(send)])
    expect(failed).toEqual([])
  })

  it('lets people sign up, prove addresses, own projects, invite others and log in with a second factor', () =>
    people(server))

  it('serves what mails lead to: pictures, links, pages; and hears what providers report', () => readers(server))

  it('sends a campaign again to those it did not reach', () => refusedCampaign(server))

  it('lets people sign up by a form, and shows what they will get', () => signUp(server))

  it('takes mail that comes in, and mail that programs submit', () => otherMail(server))

  it.runIf(store === 'PostgreSQL')('takes mail by SQL', () => sentBySql(server))

  it('reads large bodies and makes heavy mail', () => heavyMail(server))
  it('keeps much at once', () => muchToKeep(server))
  it('makes HTML of Markdown', () => writtenMail(server))

  it('does what the README and the tour show with curl', async () => {
    const key = keyOf(EXAMPLES.length + 1)
    const blocks = ['README.md', 'docs/tour.md'].flatMap(commandsOf).filter((block) => /curl [h"]/.test(block))
    const { code, log } = await runPage(
      blocks.map((block) => block.replaceAll('http://127.0.0.1:3000', server.url).replaceAll('sk_…', key)),
      { url: server.url, key },
    )
    expect(code, log).toBe(0)
  })

  it('checks an address, as the tour says', async () => {
    const { body } = await mustSucceed(asker(server.url, server.key))('POST', '/v1/verify', {
      json: { email: 'ada@gmial.com' },
    })
    expect(body.data.suggestedEmail).toBe('ada@gmail.com')
  })

  it('serves the dashboard and the page of the interface', async () => {
    const open = mustSucceed(asker(server.url))
    for (const path of ['/docs', '/docs/swagger-ui-bundle.js']) expect((await open('GET', path)).status).toBe(200)
    const [, script] = /src="\.\/(assets\/[^"]+)"/.exec((await open('GET', '/app/')).text) ?? []
    expect((await open('GET', `/app/${script}`)).status).toBe(200)
  })

  it('answers every other route of the table with anything but an error of its own', async () => {
    const asked = [...earlier, ...(await answers())]
    for (const { method, path } of ROUTES) {
      if (asked.some((each) => each.method === method && each.route === path)) continue
      const filled = pathParameters(path).reduce((whole, { name, example }) => whole.replace(`:${name}`, example), path)
      const key = path === '/operator' || path === '/operator/routes' ? OPERATOR : undefined
      const json = path === '/operator/routes' ? { rules: [] } : {}
      await asker(server.url, key)(method, filled, method === 'GET' ? {} : { json })
    }
  })

  it('and so has answered every route, none with 5xx', async () => {
    const given = [...earlier, ...(await answers())]
    const of = (wanted: (typeof ROUTES)[number]) =>
      given.filter(({ method, route }) => method === wanted.method && route === wanted.path)
    expect(ROUTES.filter((route) => of(route).length === 0).map(({ method, path }) => `${method} ${path}`)).toEqual([])
    expect(given.filter(({ status }) => status >= 500)).toEqual([])
    const neverWell = ROUTES.filter((route) => of(route).every(({ status }) => status >= 400))
    expect(neverWell.map(({ method, path }) => `${method} ${path}`).filter((route) => !NEVER_WELL.has(route))).toEqual(
      [],
    )
  })

  it('has put every thread of the package to work', () => {
    const files = globSync('dist/**/*-thread.js', { cwd: product }).filter(
      (file) => store === 'SQLite' || !file.includes('store-sqlite'),
    )
    expect(files.length).toBeGreaterThan(4)
    const seen = globSync(`${store}-*/threads`, { cwd: folder }).map((file) => readFileSync(join(folder, file), 'utf8'))
    expect(files.filter((file) => !seen.join('').includes(file))).toEqual([])
  })

  it('ends when it is told to, without an error in its log', async () => {
    expect(await stop()).toBe(0)
    const errors = printed.split('\n').filter((line) => /"level":"error"|Cannot find/.test(line))
    expect(errors).toEqual([])
  })

  /** How often each route was answered with which status, as the server counts it. */
  async function answers(): Promise<readonly Answered[]> {
    const { text } = await asker(server.url, METRICS)('GET', '/metrics')
    const pattern = /^mailwright_http_requests_total\{method="(\w+)",route="([^"]+)",status="(\d+)"/gm
    return [...text.matchAll(pattern)].map(([, method, route, status]) => ({ method, route, status: Number(status) }))
  }
})

/**
 * The routes that no visit here succeeds in: they need a proxy that asks, or a login that comes back from a provider;
 * and the first user is made by the page.
 */
const NEVER_WELL: ReadonlySet<string> = new Set([
  // a mailbox is asked once a day
  'POST /contacts/:id/confirmation',
  // they ask a model, which this installation does not have
  'POST /assistant/texts',
  'POST /threads/:id/assist',
  // it asks a mail server
  'POST /mail-servers/test',
  // they log in to a mailbox
  'POST /seeds/mailboxes',
  'DELETE /seeds/mailboxes/:id',
  'POST /campaigns/:id/seed-tests',
  'POST /auth/setup',
  'GET /link-host',
  // a domain has a host of its own for it
  'GET /.well-known/mta-sts.txt',
  'GET /auth/oauth/:provider/callback',
  'GET /auth/second-factor',
  'POST /auth/second-factor',
  // the configuration names transports and the address, and wins
  'POST /users/@me/operator/mail-servers',
  'PATCH /users/@me/operator/mail-servers/:serverId',
  'DELETE /users/@me/operator/mail-servers/:serverId',
  'PUT /users/@me/operator/public-address',
  // it asks lists in the DNS of the world
  'POST /operator/blocklists',
  'POST /users/@me/operator/blocklists',
])
