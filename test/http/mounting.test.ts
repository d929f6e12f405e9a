import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createTestEngine } from '../../config/testing.ts'
import { type AppPart, createApp, toNodeHandler } from '../../server/index.ts'

const KEY = 'sk_0123456789abcdef'
const MAIL = { to: 'ada@example.org', from: 'hi@example.com', subject: 'Hi', body: '<a href="https://x.example">x</a>' }

/** A request as a parser such as `express.json()` leaves it: the stream is read, and `body` is set. */
type Parsed = IncomingMessage & { body?: unknown; rawBody?: Buffer }

/** The API below `/mail` of a server that may read the body before. */
async function mounted(read: (request: Parsed, bytes: Buffer) => void) {
  const projects = [{ name: 'Test', trustedDomains: ['example.com'], secretKey: KEY }]
  const world = await createTestEngine({ projects, publicUrl: 'https://acme.example/mail' })
  onTestFinished(() => world.stop())
  const handler = toNodeHandler(createApp(world.engine, { log: false }))
  const server = createServer(async (request: Parsed, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    read(request, Buffer.concat(chunks))
    request.url = request.url?.slice('/mail'.length) ?? '/'
    await handler(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const send = (body: string) =>
    fetch(`http://127.0.0.1:${port}/mail/v1/send`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', connection: 'close' },
      body,
    })
  return { ...world, send }
}

it.each<[string, (request: Parsed, bytes: Buffer) => void]>([
  ['parsed', (request, bytes) => Object.assign(request, { body: JSON.parse(bytes.toString()) })],
  ['kept as text', (request, bytes) => Object.assign(request, { body: bytes.toString() })],
  ['kept as bytes', (request, bytes) => Object.assign(request, { body: bytes })],
  ['parsed and kept as rawBody', (request, bytes) => Object.assign(request, { body: {}, rawBody: bytes })],
])('takes a body that the server around it has %s, and leads back to its prefix', async (_, read) => {
  const { engine, inbox, send } = await mounted(read)
  expect((await send(JSON.stringify(MAIL))).status).toBe(200)
  await engine.idle()
  expect(inbox.to('ada@example.org').last().links).toEqual([
    expect.stringMatching(/^https:\/\/acme\.example\/mail\/t\/c\//),
  ])
})

it('holds what was parsed to the limits of the API', async () => {
  const { send } = await mounted((request) => Object.assign(request, { body: { data: 'x'.repeat(60 * 1024 * 1024) } }))
  expect((await send('{}')).status).toBe(413)
})

it('answers through responses whose methods a middleware before it has replaced', async () => {
  const { engine, stop } = await createTestEngine()
  onTestFinished(() => stop())
  const handler = toNodeHandler(createApp(engine, { log: false }))
  // its `end` takes no function
  const sessions = createRequire(import.meta.url)('express-session')
  const session = sessions({ secret: 'a secret', resave: true, saveUninitialized: true, name: 'sid' })
  const server = createServer((request, response) => {
    const { writeHead } = response
    // as that of on-headers before 1.1, which takes lists of pairs, and objects
    const headOf = (status: number, ...more: readonly unknown[]) => {
      const fields = more.at(-1)
      if (Array.isArray(fields)) for (const [name, value] of fields) response.setHeader(name, value)
      return Reflect.apply(writeHead, response, [status])
    }
    Object.assign(response, { writeHead: headOf })
    session(request, response, () => handler(request, response))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  for (const [method, path, status] of [
    ['GET', '/health', 200],
    ['HEAD', '/health', 200],
    ['GET', '/openapi.json', 200],
    ['GET', '/contacts', 401],
    ['GET', '/auth/logout', 200],
    ['OPTIONS', '/contacts', 204],
    ['GET', '/app', 302],
  ] as const) {
    const headers = { connection: 'close' }
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, redirect: 'manual', headers })
    expect([path, answer.status]).toEqual([path, status])
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    const text = await answer.text()
    if (path === '/openapi.json') expect(JSON.parse(text)).toHaveProperty('openapi')
    else expect(text.length > 0).toBe(method === 'GET' && status !== 302)
  }
})

describe('an app of some parts', () => {
  const appOf = async (only: readonly AppPart[]) => {
    const world = await createTestEngine({ publicUrl: 'https://acme.example' })
    onTestFinished(() => world.stop())
    const app = createApp(world.engine, { log: false, only })
    return async (path: string, init?: RequestInit) =>
      (await app.fetch(new Request(`http://acme.example${path}`, init))).status
  }

  it('answers what mails lead to, and neither the API nor the dashboard', async () => {
    const status = await appOf(['pages'])
    // a page for people, which says that the link is of no mail
    expect(await status('/unsubscribe/x')).toBe(404)
    expect(await status('/unsubscribe/x', { method: 'PUT' })).toBe(405)
    expect(await status('/health')).toBe(200)
    for (const path of ['/contacts', '/v1/send', '/app/', '/docs', '/hooks/ses', '/auth/me', '/uploads', '/'])
      expect([path, await status(path, { headers: { authorization: `Bearer ${KEY}` } })]).toEqual([path, 404])
  })

  it('answers what providers report', async () => {
    const status = await appOf(['hooks'])
    expect(await status('/hooks/nobody', { method: 'POST' })).toBe(404)
    expect(await status('/hooks/nobody')).toBe(405)
    expect(await status('/unsubscribe/x', { method: 'PUT' })).toBe(404)
  })

  it('refuses a part that there is not', async () => {
    const { engine, stop } = await createTestEngine()
    onTestFinished(() => stop())
    // as from JavaScript
    const only = ['page'] as unknown[] as AppPart[]
    expect(() => createApp(engine, { only })).toThrow('there is no part "page"; the parts are pages and hooks')
  })
})
