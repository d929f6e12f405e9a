import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request as send } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { simpleParser } from 'mailparser'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import {
  HANDLERS,
  HOOK_SECRET,
  HOST_KEY,
  type HostProgram,
  linkPackages,
  type MountedHost,
  SESSIONS,
  startHost,
  startNext,
} from '../support/mounted-host.ts'
import { freePort } from '../support/server-process.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

// The code of docs/mounting.md in programs of others, on the packed product, with each server as it is: what a server does to
// a request before the API sees it, and to an answer after, is in none of our own.

const run = promisify(execFile)
const KEY = { authorization: `Bearer ${HOST_KEY}` }
const JSON_TYPE = { 'content-type': 'application/json' }
const MEGABYTE = 1024 * 1024
const QUIET = ['--omit=dev', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']

/** A server for what answers a `Response` to a `Request`. */
const serving = (fetch: string) =>
  `import { serve } from '@hono/node-server'\nserve({ fetch: ${fetch}, port: 3000, hostname: '127.0.0.1' })`

const before = (mount: string, added: string) => (code: string) => {
  expect(code).toContain(mount)
  return code.replace(mount, `${added}\n${mount}`)
}
const EXPRESS = "server.use('/mail'"
const KEEPING = 'express.json({ verify: (request, _response, bytes) => { request.rawBody = bytes } })'

type Host = Omit<HostProgram, 'smtpPort'> & {
  readonly name: string
  /** It reads bodies before, and has a limit of its own. */
  readonly parses?: true
  /** Built and started by Next, which tidies paths itself. */
  readonly isNext?: true
  /** It answers paths itself that cannot be decoded, with 400. */
  readonly decodes?: true
}

const HOSTS: readonly Host[] = [
  { name: 'node:http', under: '`node:http`:' },
  { name: 'Express', under: 'Express 5:' },
  {
    name: 'Express behind a parser that keeps the bytes',
    ...{ under: 'Express 5:', changed: before(EXPRESS, `server.use(${KEEPING})`), parses: true },
  },
  {
    name: 'Express with compression and a session for everybody',
    under: SESSIONS,
    changed: (code) =>
      before(
        'server.use(session(',
        'server.use(compression())',
      )(
        `import compression from 'compression'\n${code.replace('saveUninitialized: false', 'saveUninitialized: true')}`,
      ),
  },
  { name: 'Fastify', under: 'Fastify 5:', decodes: true },
  { name: 'Koa', under: 'Koa 3:' },
  { name: 'Hono', under: 'Hono 4:', after: serving('server.fetch') },
  {
    name: 'route handlers',
    under: HANDLERS,
    changed: (code) => code.replace(/^import \{ makeEngine \}.*$/m, ''),
    after: serving(
      "(request) => new URL(request.url).pathname.startsWith('/mail/') ? handle(request) : new Response('', { status: 404 })",
    ),
  },
  { name: 'Next', under: HANDLERS, isNext: true },
]

let folder: string
let sink: SmtpSink
/** Mounted in `node:http`, for others to be compared with. */
let direct: MountedHost

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mailwright-mounting-'))
  sink = await startSmtpSink()
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'host', private: true, type: 'module' }))
  await run('npm', ['install', ...QUIET, inject('tarball')], { cwd: folder })
  linkPackages(folder, ['compression', 'express', 'express-session', 'fastify', 'hono', '@hono/node-server', 'koa'])
  direct = await start(HOSTS[0]!)
}, 300_000)

afterAll(async () => {
  await direct?.stop()
  await sink?.close()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

const start = (program: Omit<HostProgram, 'smtpPort'>) => startHost(folder, { smtpPort: sink.port, ...program })

/** An app of Next beside the package, both installed from the registry and the tarball. */
async function nextHost(): Promise<MountedHost> {
  const place = join(folder, 'next')
  mkdirSync(place)
  const dependencies = {
    next: '16.4.6',
    react: '19.3.1',
    'react-dom': '19.3.1',
    mailwright: `file:${inject('tarball')}`,
  }
  writeFileSync(join(place, 'package.json'), JSON.stringify({ name: 'next-host', type: 'module', dependencies }))
  await run('npm', ['install', ...QUIET], { cwd: place })
  return startNext(place, sink.port)
}

/** The mail to this address, once it is there. */
async function mailTo(address: string): Promise<{ html: string; headers: ReadonlyMap<string, unknown> }> {
  const found = await until(`mail to ${address}`, async () => sink.messages.find(({ to }) => to.includes(address)))
  const { html, headers } = await simpleParser(found.raw)
  return { html: html || '', headers }
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
const jsonOf = (response: Response): Promise<any> => response.json()

/** Some answers of an API mounted in another way, to compare with. */
async function oddAnswers(url: string): Promise<readonly (readonly [string, number, string | null])[]> {
  const { port, pathname } = new URL(url)
  const asked: (readonly [string, number, string | null])[] = []
  for (const path of ODD) {
    // not by fetch, which mends the path
    const message = send({ port, host: '127.0.0.1', path: `${pathname}${path}`, headers: KEY })
    message.end()
    const [answer] = (await once(message, 'response')) as [IncomingMessage]
    answer.resume()
    await once(answer, 'end')
    asked.push([path, answer.statusCode ?? 0, answer.headers['content-type'] ?? null])
  }
  return asked
}

const ODD = [
  ...['/', '//', '//contacts', '/contacts/', '/contacts//', '/contacts?limit=1&limit=2', '/contacts?email=%40'],
  ...[
    '/contacts/%00',
    '/contacts/a%2Fb',
    '/contacts/%E0%A4%A',
    '/contacts/%',
    '/nothing',
    '/contacts/ada%40example.org',
  ],
  ...['/%63ontacts', '/contacts;x=1', '/unsubscribe/%E4', '/app/p/../..', '/contacts?x=%E0%A4%A', '/mail/contacts'],
]

/** Whether a path cannot be decoded. */
function isBroken(path: string): boolean {
  try {
    decodeURIComponent(path.split('?', 1)[0] ?? '')
    return false
  } catch {
    return true
  }
}

describe.each(HOSTS)('mounted in $name', ({ name: _, parses, decodes, isNext, ...program }) => {
  let host: MountedHost
  beforeAll(async () => {
    host = isNext ? await nextHost() : await start(program)
  })
  afterAll(async () => {
    await host?.stop()
    // what a client does may be logged, and may not be what no code expected
    expect(host.output()).not.toMatch(/Unhandled|uncaught|TypeError|ERR_|deprecat/i)
  })
  const ask = (method: string, path: string, init: RequestInit = {}) =>
    fetch(`${host.url}${path}`, { method, redirect: 'manual', ...init, headers: { ...KEY, ...init.headers } })
  const post = (path: string, body: unknown) => ask('POST', path, { body: JSON.stringify(body), headers: JSON_TYPE })

  it('sends mail whose links lead back to it, and counts what is followed', async () => {
    const to = `${randomUUID()}@example.org`
    const mail = { to, from: 'hi@acme.example', subject: 'Hi', body: '<a href="https://acme.example/a?b=c">x</a>' }
    const sent = await post('/v1/send', mail)
    expect(sent.status).toBe(200)
    const { email } = (await jsonOf(sent)).data.emails[0]
    const { html } = await mailTo(to)
    const link = new RegExp(`${host.url}/t/c/[^"]+`).exec(html)?.[0] ?? ''
    const followed = await fetch(link, { redirect: 'manual' })
    expect([followed.status, followed.headers.get('location')]).toEqual([302, 'https://acme.example/a?b=c'])
    await until('the click is counted', async () => (await jsonOf(await ask('GET', `/emails/${email}`))).clicks > 0)
  })

  it('shows the pages for recipients, and takes their forms and one-click', async () => {
    const template = { name: `T ${randomUUID()}`, subject: 'News', body: '<p>News</p>', type: 'MARKETING' }
    const { id } = await jsonOf(await post('/templates', { ...template, from: 'hi@acme.example' }))
    const pageOf = async () => {
      const to = `${randomUUID()}@example.org`
      const contact = await jsonOf(await post('/contacts', { email: to, subscribed: true }))
      expect((await post('/v1/send', { to, template: id })).status).toBe(200)
      const { html } = await mailTo(to)
      const page = new RegExp(`${host.url}/unsubscribe/[^"]+`).exec(html)?.[0] ?? ''
      return { page, subscribed: async () => (await jsonOf(await ask('GET', `/contacts/${contact.id}`))).subscribed }
    }
    const one = await pageOf()
    const shown = await fetch(one.page)
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(await shown.text()).toContain('<form')
    expect(await one.subscribed()).toBe(true)
    const form = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })
    expect((await fetch(one.page, { method: 'POST', body: form })).status).toBe(200)
    expect(await one.subscribed()).toBe(false)
    const other = await pageOf()
    const multipart = new FormData()
    multipart.set('List-Unsubscribe', 'One-Click')
    expect((await fetch(other.page, { method: 'POST', body: multipart })).status).toBe(200)
    expect(await other.subscribed()).toBe(false)
  })

  it('takes what a provider signed, and nothing else', async () => {
    const to = `${randomUUID()}@example.org`
    const sent = await post('/v1/send', { to, from: 'hi@acme.example', subject: 'Hi', body: 'Hi' })
    const { email } = (await jsonOf(sent)).data.emails[0]
    await mailTo(to)
    await until(
      'it is delivered',
      async () => (await jsonOf(await ask('GET', `/emails/${email}`))).status === 'DELIVERED',
    )
    // not as JSON.stringify would write it
    const body = `{ "kind" : "bounced",\n "mail" : { "emailId" : "${email}" }, "recipient":"${to}",
      "bounce": { "class": "permanent", "diagnostic": "550 5.1.1 unkn\\u006fwn" } }`
    const [id, at] = [randomUUID(), new Date()]
    const signature = new Webhook(HOOK_SECRET).sign(id, at, body)
    const headers = { 'webhook-id': id, 'webhook-timestamp': String(Math.floor(at.getTime() / 1000)) }
    const report = (given: string) =>
      ask('POST', '/hooks/bridge', { body, headers: { ...headers, ...JSON_TYPE, 'webhook-signature': given } })
    expect((await report('v1,AAAA')).status).toBe(401)
    const taken = await report(signature)
    expect([taken.status, await taken.json()]).toEqual([200, { success: true, data: { reports: 1, changed: 1 } }])
    expect((await jsonOf(await ask('GET', `/emails/${email}`))).status).toBe('BOUNCED')
  })

  it('serves the dashboard with its files', async () => {
    const entrance = await fetch(`${host.url}/app`)
    expect([entrance.url, entrance.status]).toEqual([`${host.url}/app/`, 200])
    const deep = await fetch(`${host.url}/app/p/x/contacts`)
    expect(await deep.text()).toContain('<base href="../../">')
    const html = await entrance.text()
    const files = [...html.matchAll(/(?:src|href)="(\.?\/?assets\/[^"]+)"/g)].map(([, path = '']) => path)
    expect(files.length).toBeGreaterThan(1)
    for (const file of files) {
      const answer = await fetch(new URL(file, `${host.url}/app/`))
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toMatch(/^text\/(javascript|css)/)
      // the page has handlers ask for what is not packed
      const packs = program.under !== HANDLERS || isNext
      expect(answer.headers.get('content-encoding')).toEqual(packs ? expect.stringMatching(/^(br|gzip)$/) : null)
      // decoded once it is text, and not packed a second time
      expect(/^[\t\n\x20-\x7e]{100}/.test(await answer.text())).toBe(true)
      const etag = answer.headers.get('etag') ?? ''
      const again = await fetch(answer.url, { headers: { 'if-none-match': etag, 'cache-control': 'max-age=0' } })
      expect([again.status, await again.text()]).toEqual([304, ''])
    }
  })

  it('takes files of a form, and answers a long list piece by piece', async () => {
    const rows = Array.from({ length: 5000 }, (_, i) => `p${i}@import.example,${'x'.repeat(200)}`)
    const form = new FormData()
    form.set('file', new Blob([`email,note\n${rows.join('\n')}\n`], { type: 'text/csv' }), 'people.csv')
    const accepted = await ask('POST', '/contacts/import', { body: form })
    expect(accepted.status).toBe(202)
    const { jobId } = await jsonOf(accepted)
    const job = await until('the import has ended', async () => {
      const state = await jsonOf(await ask('GET', `/contacts/import/${jobId}`))
      return state.state === 'completed' ? state : undefined
    })
    expect(job).toMatchObject({ result: { successCount: 5000, failureCount: 0 } })
    const exported = await ask('GET', '/contacts/export')
    const text = await exported.text()
    expect(text.split('\n').filter((line) => line.includes('@import.example'))).toHaveLength(5000)
  })

  it('answers HEAD, OPTIONS and preflights', async () => {
    const head = await ask('HEAD', '/contacts')
    expect([head.status, await head.text()]).toEqual([200, ''])
    const options = await ask('OPTIONS', '/contacts')
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, POST, OPTIONS'])
    const asked = { origin: 'https://shop.example', 'access-control-request-method': 'POST' }
    const open = await fetch(`${host.url}/v1/track`, { method: 'OPTIONS', headers: asked })
    expect([open.status, open.headers.get('access-control-allow-origin')]).toEqual([204, '*'])
    const closed = await fetch(`${host.url}/contacts`, { method: 'OPTIONS', headers: asked })
    expect([closed.status, closed.headers.get('access-control-allow-origin')]).toEqual([204, null])
    expect((await ask('PUT', '/contacts')).status).toBe(405)
  })

  it('refuses what is too large, and goes on', async () => {
    const large = { email: 'ada@example.org', data: { text: 'x'.repeat(MEGABYTE) } }
    const stated = await post('/contacts', large)
    expect(stated.status).toBe(413)
    if (!parses) expect((await jsonOf(stated)).error.code).toBe('PAYLOAD_TOO_LARGE')
    else await stated.text()
    let left = 200
    const pieces = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (left-- > 0) controller.enqueue(new Uint8Array(64 * 1024).fill(32))
        else controller.close()
      },
    })
    const unstated = ask('POST', '/contacts', { body: pieces, duplex: 'half', headers: JSON_TYPE } as RequestInit)
    const refused = await unstated.then(
      ({ status }) => status,
      // the connection may be cut before a client has read the answer
      () => 413,
    )
    expect(refused).toBe(413)
    // a server may close the connection that a body was left on, while the client takes it for the next request
    await until('it goes on', async () =>
      post('/contacts', { email: 'small@example.org' }).then(
        ({ ok }) => ok,
        () => false,
      ),
    )
  })

  it('outlives clients that go away, in the middle of a body and of an answer', async () => {
    const { port, pathname } = new URL(host.url)
    const fields = `Host: 127.0.0.1:${port}\r\nAuthorization: ${KEY.authorization}\r\n`
    for (const [text, enough] of [
      [
        `POST ${pathname}/contacts HTTP/1.1\r\n${fields}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"em`,
        0,
      ],
      [`POST ${pathname}/unsubscribe/x HTTP/1.1\r\n${fields}Transfer-Encoding: chunked\r\n\r\n5\r\nhel`, 0],
      [`GET ${pathname}/contacts/export HTTP/1.1\r\n${fields}\r\n`, 1000],
      [`GET ${pathname}/openapi.json HTTP/1.1\r\n${fields}\r\n`, 1],
    ] as const) {
      const socket = connect(Number(port), '127.0.0.1')
      socket.on('error', () => {})
      socket.write(text)
      let got = 0
      if (enough > 0) {
        for await (const chunk of socket) {
          got += (chunk as Buffer).length
          if (got >= enough) break
        }
      } else await new Promise((resolve) => setTimeout(resolve, 100))
      socket.resetAndDestroy()
    }
    expect((await ask('GET', '/contacts')).status).toBe(200)
    expect((await ask('GET', '/health')).status).toBe(200)
  })

  it('answers odd paths as it does elsewhere', async () => {
    const own = (await oddAnswers(direct.url)).map(([path, ...answer]) =>
      decodes && isBroken(path) ? [path, 400, 'application/json'] : [path, ...answer],
    )
    const isOurs = ([path = '']: readonly unknown[]) =>
      !isNext || !(isBroken(String(path)) || /^\/$|\/\/|\.\./.test(String(path)))
    expect((await oddAnswers(host.url)).filter(isOurs)).toEqual(own.filter(isOurs))
  })

  it('leaves the rest to the host', async () => {
    const { origin } = new URL(host.url)
    for (const path of ['/', '/contacts', '/mailbox', '/mailcontacts', '/health'])
      expect([path, (await fetch(`${origin}${path}`, { headers: KEY })).headers.get('x-request-id')]).toEqual([
        path,
        null,
      ])
  })
})

it('behind a parser that keeps no bytes takes what it parsed, within its limit', async () => {
  const host = await start({ under: 'Express 5:', changed: before(EXPRESS, 'server.use(express.json())') })
  onTestFinished(() => host.stop())
  const post = (path: string, body: string, headers: object = {}) =>
    fetch(`${host.url}${path}`, { method: 'POST', body, headers: { ...KEY, ...JSON_TYPE, ...headers } })
  const contact = (size: number) => JSON.stringify({ email: 'ada@example.org', data: { text: 'x'.repeat(size) } })
  expect((await post('/contacts', contact(20_000))).status).toBe(201)
  const tooLarge = await post('/contacts', contact(100 * 1024))
  // an answer of Express
  expect([tooLarge.status, tooLarge.headers.get('x-request-id')]).toEqual([413, null])
  // what is no JSON never comes here either
  expect((await post('/contacts', '{')).status).toBe(400)
  const form = new FormData()
  form.set('file', new Blob(['email\nbob@example.org\n'], { type: 'text/csv' }), 'people.csv')
  expect((await fetch(`${host.url}/contacts/import`, { method: 'POST', body: form, headers: KEY })).status).toBe(202)
})

it.each([
  ['Express', 'Express 5:'],
  ['Koa', 'Koa 3:'],
])('answers in %s only the parts that are wanted', async (_, under) => {
  const host = await start({
    under,
    changed: (code) => code.replace('createApp(engine)', "createApp(engine, { only: ['pages', 'hooks'] })"),
  })
  onTestFinished(() => host.stop())
  const status = async (path: string, init?: RequestInit) => (await fetch(`${host.url}${path}`, init)).status
  expect(await status('/unsubscribe/x')).toBe(404)
  expect(await status('/unsubscribe/x', { method: 'PUT' })).toBe(405)
  expect(await status('/hooks/bridge', { method: 'POST', body: '{}' })).toBe(401)
  expect(await status('/health')).toBe(200)
  for (const path of ['/contacts', '/app/', '/docs', '/auth/login', '/v1/send', '/openapi.json'])
    expect([path, await status(path, { headers: KEY })]).toEqual([path, 404])
})

describe('a proxy that strips the prefix', () => {
  it('leads to an API that is mounted nowhere, and says who asks', async () => {
    const proxyPort = await freePort()
    const host = await start({
      under: '`node:http`:',
      publicUrl: `http://127.0.0.1:${proxyPort}/mail`,
      changed: (code) =>
        code.replace('createApp(engine)', 'createApp(engine, { trustProxy: true, failuresPerMinutePerIp: 3 })'),
    })
    onTestFinished(() => host.stop())
    // as nginx with `location /mail/ { proxy_pass http://127.0.0.1:3000/; }`: here the API is below a prefix of its own again
    const upstream = new URL(host.url)
    const proxy = createServer((request, response) => {
      const { url = '/', method, headers, socket } = request
      if (!url.startsWith('/mail/')) return void response.writeHead(502).end()
      const forwarded = [headers['x-forwarded-for'], socket.remoteAddress].filter(Boolean).join(', ')
      const passed = send(
        {
          ...{
            host: upstream.hostname,
            port: upstream.port,
            path: upstream.pathname + url.slice('/mail'.length),
            method,
          },
          headers: { ...headers, 'x-forwarded-for': forwarded },
        },
        (answer) => {
          response.writeHead(answer.statusCode ?? 502, answer.headers)
          answer.pipe(response)
        },
      )
      passed.on('error', () => response.destroy())
      request.pipe(passed)
    })
    proxy.listen(proxyPort, '127.0.0.1')
    await once(proxy, 'listening')
    onTestFinished(() => void proxy.close())
    const base = `http://127.0.0.1:${proxyPort}/mail`
    const to = `${randomUUID()}@example.org`
    const mail = { to, from: 'hi@acme.example', subject: 'Hi', body: '<a href="https://acme.example/a">x</a>' }
    const body = JSON.stringify(mail)
    expect((await fetch(`${base}/v1/send`, { method: 'POST', body, headers: { ...KEY, ...JSON_TYPE } })).status).toBe(
      200,
    )
    const link = new RegExp(`${base}/t/c/[^"]+`).exec((await mailTo(to)).html)?.[0] ?? ''
    expect((await fetch(link, { redirect: 'manual' })).headers.get('location')).toBe('https://acme.example/a')
    const entrance = await fetch(`${base}/app`)
    expect([entrance.url, entrance.status]).toEqual([`${base}/app/`, 200])
    // the last entry counts, whatever the client says
    const guess = (forwarded: string) =>
      fetch(`${base}/contacts`, { headers: { authorization: 'Bearer sk_wrong', 'x-forwarded-for': forwarded } })
    const statuses: number[] = []
    for (const each of ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4']) statuses.push((await guess(each)).status)
    expect(statuses).toEqual([401, 401, 401, 429])
  })
})
