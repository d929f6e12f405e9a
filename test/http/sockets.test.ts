import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type HttpServer, listen } from '../../server/http/http-server.ts'
import { createApp } from '../../server/index.ts'
import { expectEnvelope, MAIL, SECRET, type TestApp, testApp } from '../support/app.ts'
import { QUICK } from '../support/matrix.ts'
import { until } from '../support/until.ts'

const MB = 1024 * 1024
const HEAD = `Host: localhost\r\nAuthorization: Bearer ${SECRET}\r\nContent-Type: application/json\r\n`

// The store plays no part before a request is read, and after it is answered.
const store = QUICK

describe('over real sockets', () => {
  let http: HttpServer | undefined
  const opened: Socket[] = []
  /** For all that looks neither at what is stored nor at what is logged. */
  let shared: TestApp
  beforeAll(async () => {
    shared = await testApp(store)
  })

  afterEach(async () => {
    for (const socket of opened.splice(0)) socket.destroy()
    await http?.close(0)
    http = undefined
  })

  const start = async (test: TestApp) => {
    http = await listen(test.app, { host: '127.0.0.1', port: 0 }, test.engine.log)
    return new URL(http.url)
  }
  /** A raw connection and everything it was answered so far. */
  const dial = async (url: URL) => {
    const socket = connect(Number(url.port), url.hostname)
    opened.push(socket)
    let received = ''
    socket.on('data', (chunk) => (received += chunk))
    socket.on('error', () => {})
    await once(socket, 'connect')
    return { socket, received: () => received }
  }

  it('sends a mail, and many over one connection', async () => {
    const test = await testApp(store)
    const url = await start(test)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const ports = new Set<number | undefined>()
    for (let i = 0; i < 3; i++) {
      const sent = request(new URL('/v1/send', url), {
        method: 'POST',
        agent,
        headers: { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' },
      })
      sent.end(JSON.stringify(MAIL))
      const [response] = await once(sent, 'response')
      ports.add(sent.socket?.localPort)
      expect(response.statusCode).toBe(200)
      for await (const _ of response);
    }
    agent.destroy()
    expect(ports.size).toBe(1)
    expect((await test.counts()).emails).toBe(3)
  })

  it('answers 413 to a chunked body without a length, as soon as it is over the limit', async () => {
    const url = await start(shared)
    const { socket, received } = await dial(url)
    socket.write(`POST /contacts HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\n`)
    const piece = `10000\r\n${' '.repeat(0x10000)}\r\n`
    for (let i = 0; i < 20; i++) socket.write(piece)
    await until('the server refuses', () => received().includes('PAYLOAD_TOO_LARGE'))
    expect(received()).toMatch(/^HTTP\/1\.1 413 /)
    await until('the connection is closed', () => socket.destroyed)
  })

  it('answers 413 by Content-Length before the body is sent', async () => {
    const url = await start(shared)
    const { socket, received } = await dial(url)
    socket.write(`POST /v1/send HTTP/1.1\r\n${HEAD}Content-Length: ${50 * MB + 1}\r\n\r\n`)
    await until('the server refuses', () => received().includes('PAYLOAD_TOO_LARGE'))
    expect(received()).toMatch(/^HTTP\/1\.1 413 /)
  })

  it('takes a body that comes octet by octet, in pieces that split characters', async () => {
    const { socket, received } = await dial(await start(shared))
    const body = Buffer.from(JSON.stringify({ email: 'slow@example.org', data: { city: 'Zürich 🏔' } }))
    socket.setNoDelay(true)
    socket.write(`POST /contacts HTTP/1.1\r\n${HEAD}Content-Length: ${body.length}\r\n\r\n`)
    for (const octet of body) {
      socket.write(Buffer.from([octet]))
      await new Promise(setImmediate)
    }
    await until('it is answered', () => received().includes('Zürich 🏔'))
    expect(received()).toMatch(/^HTTP\/1\.1 201 /)
  })

  it('stores nothing of a body that breaks off, and logs no failure', async () => {
    const test = await testApp(store)
    const { socket } = await dial(await start(test))
    const body = JSON.stringify(MAIL)
    socket.write(`POST /v1/send HTTP/1.1\r\n${HEAD}Content-Length: ${body.length + 10}\r\n\r\n${body}`)
    await new Promise(setImmediate)
    socket.destroy()
    await until('the request is logged', () => test.lines.some(({ message }) => message === 'request'))
    expect(test.lines.find(({ message }) => message === 'request')?.fields.status).toBe(400)
    expect(test.lines.filter(({ level }) => level === 'error')).toEqual([])
    expect(await test.counts()).toEqual({ contacts: 0, emails: 0, events: 0 })
  })

  it.each([
    ['an asterisk', 'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a GET of an asterisk', 'GET * HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['an absolute URL', 'GET http://elsewhere.example/contacts HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['an absolute URL that is none', 'GET http://[x HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a host that is none', 'GET /contacts HTTP/1.1\r\nHost: a b"<>\r\n\r\n'],
    ['no host', 'GET /contacts HTTP/1.0\r\n\r\n'],
    ['a path of slashes', 'GET ////// HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a path that is not ASCII', 'GET /contacts/\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a length that is none', `POST /contacts HTTP/1.1\r\n${HEAD}Content-Length: x\r\n\r\n`],
    ['two lengths', `POST /contacts HTTP/1.1\r\n${HEAD}Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}`],
    ['two keys', 'GET /contacts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n'],
    ['no HTTP at all', 'EHLO there\r\n\r\n'],
  ])('answers %s with a 4xx and lives on', async (_what, text) => {
    const url = await start(shared)
    const { socket, received } = await dial(url)
    socket.write(Buffer.from(text, 'latin1'))
    await until('it is answered', () => received().includes('\r\n'))
    expect(received()).toMatch(/^HTTP\/1\.1 4\d\d /)
    expect(shared.lines.filter(({ level }) => level === 'error')).toEqual([])
    expect((await fetch(new URL('/health/live', url))).status).toBe(200)
  })

  it('limits public keys by the address of the socket, whatever X-Forwarded-For says', async () => {
    const test = await testApp(store, { trackPerMinutePerIp: 2 })
    const url = await start(test)
    const track = async (from: string) => {
      const response = await fetch(new URL('/v1/track', url), {
        method: 'POST',
        headers: {
          authorization: `Bearer pk_${'a'.repeat(48)}`,
          'content-type': 'application/json',
          'x-forwarded-for': from,
        },
        body: JSON.stringify({ email: 'a@example.org', event: 'seen' }),
      })
      await response.arrayBuffer()
      return response.status
    }
    expect([await track('1.1.1.1'), await track('2.2.2.2'), await track('3.3.3.3')]).toEqual([200, 200, 429])
  })

  it('when closed answers what it has begun, closes idle connections, and takes no new ones', async () => {
    const test = await testApp(store)
    let answer = () => {}
    const begun = new Promise<void>((resolve) => {
      const { send } = test.engine.sending
      test.engine.sending.send = async (...given) => {
        resolve()
        await new Promise<void>((go) => (answer = go))
        return send.apply(test.engine.sending, given)
      }
    })
    const url = await start(test)
    const idle = await dial(url)
    idle.socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n')
    await until('the first is answered', () => idle.received().includes('"status":"ok"'))
    const busy = fetch(new URL('/v1/send', url), {
      method: 'POST',
      headers: { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' },
      body: JSON.stringify(MAIL),
    })
    await begun
    const idleClosed = once(idle.socket, 'close')
    const closed = http?.close(10_000)
    await idleClosed
    await expect(fetch(new URL('/health/live', url))).rejects.toThrow()
    answer()
    const response = await busy
    expect(response.status).toBe(200)
    expect(response.headers.get('connection')).toBe('close')
    await response.arrayBuffer()
    const start0 = performance.now()
    await closed
    expect(performance.now() - start0).toBeLessThan(2000)
    expect((await test.counts()).emails).toBe(1)
  })

  it('when closed cuts what does not end in time', async () => {
    const { socket } = await dial(await start(shared))
    socket.write(`POST /contacts HTTP/1.1\r\n${HEAD}Content-Length: 100\r\n\r\n{`)
    await new Promise((resolve) => setTimeout(resolve, 20))
    const cut = once(socket, 'close')
    await http?.close(50)
    await cut
  })

  it('says nothing of an unknown path’s neighbours', async () => {
    const url = await start(shared)
    const response = await fetch(new URL('/nope', url))
    const text = await response.text()
    expectEnvelope(
      { status: response.status, headers: response.headers, text, body: JSON.parse(text) },
      404,
      'RESOURCE_NOT_FOUND',
    )
    expect(response.headers.get('x-powered-by')).toBeNull()
  })
})

describe('an app made twice', () => {
  it('counts requests for each on its own', async () => {
    const test = await testApp(store)
    const [first, second] = [1, 2].map(() => createApp(test.engine, { requestsPerMinute: 1 }))
    const ask = async (app: typeof first) => {
      const response = await app!.request('/contacts', { headers: { authorization: `Bearer ${SECRET}` } })
      return response.status
    }
    expect([await ask(first), await ask(second), await ask(first)]).toEqual([200, 200, 429])
  })
})
