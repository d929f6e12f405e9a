import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { mostConnections } from '../../server/http/connections.ts'
import { type ClientLimits, type HttpServer, listen } from '../../server/http/http-server.ts'
import type { AppOptions } from '../../server/index.ts'
import { MAIL, SECRET, type TestApp, testApp } from '../support/app.ts'
import { ANY } from '../support/matrix.ts'
import { until } from '../support/until.ts'

const MB = 1024 * 1024
const KEY = `Authorization: Bearer ${SECRET}\r\n`
const JSON_BODY = 'Content-Type: application/json\r\n'

/** Clients that mean harm, over real sockets: what they take from others must have an end. The store does not matter. */
describe('a hostile client', () => {
  let http: HttpServer | undefined
  const opened: Socket[] = []

  afterEach(async () => {
    for (const socket of opened.splice(0)) socket.destroy()
    await http?.close(0)
    http = undefined
  })

  const start = async (limits: ClientLimits = {}, options: AppOptions = {}): Promise<TestApp> => {
    const test = await testApp(ANY, options)
    http = await listen(test.app, { host: '127.0.0.1', port: 0, ...limits }, test.engine.log)
    return test
  }
  const dial = async () => {
    const url = new URL(http!.url)
    const socket = connect(Number(url.port), url.hostname)
    opened.push(socket)
    const seen = { socket, received: '', closed: false }
    socket.on('data', (chunk) => (seen.received += chunk.toString('latin1')))
    socket.on('error', () => {})
    socket.on('close', () => (seen.closed = true))
    await once(socket, 'connect')
    return seen
  }
  const isLive = async () => (await fetch(new URL('/health/live', http!.url))).ok

  it.each<[string, string, string]>([
    ['says nothing', '', ''],
    ['dribbles the header fields', 'GET /contacts HTTP/1.1\r\nHost: x\r\n', 'X-A: b\r\n'],
    [
      'dribbles the body',
      `POST /contacts HTTP/1.1\r\nHost: x\r\n${KEY}${JSON_BODY}Content-Length: 100000\r\n\r\n{`,
      ' ',
    ],
    ['dribbles the body of a wrong key', 'POST /contacts HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n{', ' '],
  ])('that %s is cut off in time', async (_how, first, again) => {
    await start({ headersTimeout: 0.4, requestTimeout: 0.8 })
    const client = await dial()
    client.socket.write(first)
    const began = performance.now()
    const dribble = setInterval(() => again !== '' && client.socket.write(again), 30)
    await until('it is cut off', () => client.closed, 5_000)
    clearInterval(dribble)
    expect(performance.now() - began).toBeLessThan(4_000)
    expect(await isLive()).toBe(true)
  })

  it('that takes its time within the limits is served', async () => {
    await start({ headersTimeout: 2, requestTimeout: 4 })
    const client = await dial()
    const body = JSON.stringify({ email: 'slow@example.org' })
    const head = `POST /contacts HTTP/1.1\r\nHost: x\r\n${KEY}${JSON_BODY}Content-Length: ${body.length}\r\n\r\n`
    for (const piece of [head.slice(0, 20), head.slice(20), body.slice(0, 5), body.slice(5)]) {
      client.socket.write(piece)
      await pause(100)
    }
    await until('it is answered', () => client.received.includes('HTTP/1.1 201'))
  })

  it('that opens connections without end gets so many, and the place of one that it closes', async () => {
    const test = await start({ maxConnectionsPerAddress: 3 })
    const held = [await dial(), await dial(), await dial()]
    const more = await Promise.all([dial(), dial(), dial()])
    await until('those too many are closed', () => more.every(({ closed }) => closed))
    expect(held.some(({ closed }) => closed)).toBe(false)
    held[0]?.socket.destroy()
    await until('there is room again', () => isLive().catch(() => false))
    const said = test.lines.filter(({ level }) => level === 'warn')
    expect(said).toHaveLength(1)
    expect(said[0]?.fields).toMatchObject({ address: '127.0.0.1', maxConnectionsPerAddress: 3 })
  })

  it('leaves half of all connections to others, where nothing says how many one address may have', async () => {
    await start({ maxConnections: 5 })
    const held = [await dial(), await dial(), await dial()]
    const more = await dial()
    await until('the one too many is closed', () => more.closed)
    expect(held.some(({ closed }) => closed)).toBe(false)
  })

  it('cannot have more connections than there are in all', async () => {
    await start({ maxConnections: 2, maxConnectionsPerAddress: Number.POSITIVE_INFINITY })
    const held = [await dial(), await dial()]
    const more = await dial()
    await until('the one too many is closed', () => more.closed)
    expect(held.some(({ closed }) => closed)).toBe(false)
    held[0]?.socket.destroy()
    await until('there is room again', () => isLive().catch(() => false))
  })

  it.each([
    [{ wanted: undefined, files: 1_000_000, most: 10_000 }],
    [{ wanted: undefined, files: 1024, most: 768 }],
    [{ wanted: 20_000, files: 1024, most: 768 }],
    [{ wanted: 100, files: 1024, most: 100 }],
    [{ wanted: undefined, files: 100, most: 50 }],
    [{ wanted: undefined, files: undefined, most: 10_000 }],
  ])('finds descriptors left for everything else: %o', ({ wanted, files, most }) => {
    expect(mostConnections(wanted, files)).toBe(most)
  })

  const chunked = 'Transfer-Encoding: chunked\r\n\r\n'
  const long = `Content-Length: ${10_000 * MB}\r\n\r\n`
  it.each<[string, number, string]>([
    ['chunked', 413, `POST /contacts HTTP/1.1\r\nHost: x\r\n${KEY}${JSON_BODY}${chunked}`],
    ['of a stated length', 413, `POST /contacts HTTP/1.1\r\nHost: x\r\n${KEY}${JSON_BODY}${long}`],
    ['to a page', 413, `POST /unsubscribe/x HTTP/1.1\r\nHost: x\r\n${long}`],
    ['with a wrong key', 401, `POST /contacts HTTP/1.1\r\nHost: x\r\n${JSON_BODY}${chunked}`],
    ['of a wrong type', 415, `POST /contacts HTTP/1.1\r\nHost: x\r\n${KEY}Content-Type: text/plain\r\n${long}`],
    ['to an unknown path', 404, `POST /nope HTTP/1.1\r\nHost: x\r\n${long}`],
    ['under a wrong method', 405, `PUT /contacts HTTP/1.1\r\nHost: x\r\n${long}`],
    ['to what reads none', 404, `POST /campaigns/x/pause HTTP/1.1\r\nHost: x\r\n${KEY}${long}`],
  ])('that sends 10 GB (%s) is answered %d and not read on', async (_how, status, head) => {
    await start()
    const client = await dial()
    client.socket.write(head)
    const piece = Buffer.from(head.endsWith(chunked) ? `10000\r\n${' '.repeat(0x10000)}\r\n` : ' '.repeat(0x10000))
    let taken = 0
    while (!client.closed && taken < 400 * MB) {
      if (client.socket.writable && !client.socket.write(piece))
        await Promise.race([once(client.socket, 'drain').catch(() => {}), once(client.socket, 'close')])
      else await pause(1)
      taken = client.socket.bytesWritten - client.socket.writableLength
    }
    expect(client.received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*\r\nconnection: close\r\n`, 'i'))
    // the limit, what is dropped after it, and what the system's own buffers take
    expect(taken).toBeLessThan(100 * MB)
  })

  it.each([
    ['a body over the limit', 413, 8, KEY],
    ['the largest body of all, with a wrong key', 401, 50, ''],
  ])('does not cost an honest one its answer, which it reads only once all is written: %s', async (_of, status, mb, key) => {
    await start()
    const { port, hostname } = new URL(http!.url)
    const socket = connect({ port: Number(port), host: hostname })
    opened.push(socket)
    socket.pause()
    const length = mb * MB
    socket.write(`POST /contacts HTTP/1.1\r\nHost: x\r\n${key}${JSON_BODY}Content-Length: ${length}\r\n\r\n`)
    for (let written = 0; written < length; written += MB) {
      await new Promise<void>((resolve, reject) => {
        socket.write(Buffer.alloc(MB, ' '), (error) => (error ? reject(error) : resolve()))
      })
    }
    const [answer] = (await once(socket.resume(), 'data')) as [Buffer]
    expect(answer.toString('latin1')).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  })

  it('does not cost an honest one its connection: a small body that was refused unread is dropped', async () => {
    await start()
    const client = await dial()
    const body = JSON.stringify(MAIL)
    client.socket.write(`POST /v1/send HTTP/1.1\r\nHost: x\r\n${JSON_BODY}Content-Length: ${body.length}\r\n\r\n`)
    await until('it is refused', () => client.received.includes('HTTP/1.1 401'))
    client.socket.write(body)
    client.socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n')
    await until('the connection goes on', () => client.received.includes('"status":"ok"'))
  })

  it.each([
    'GET /health/live',
    'GET /contacts',
    'GET /nope',
    'OPTIONS /contacts',
  ])('that names two hosts is refused: %s', async (line) => {
    await start()
    const client = await dial()
    client.socket.write(`${line} HTTP/1.1\r\nHost: a.example\r\n${KEY}hOST: b.example\r\n\r\n`)
    await until('it is answered', () => client.received.includes('\r\n\r\n'))
    expect(client.received).toMatch(/^HTTP\/1\.1 400 [\s\S]*Host/)
  })

  describe('that tries keys and paths', () => {
    const ask = async (test: TestApp, path: string, key: string | null, from = '203.0.113.7') =>
      (await test.ask('GET', path, { key, headers: { 'x-forwarded-for': from } })).status

    it('is held to so many a minute, both together, while right keys and pages pass from the same address', async () => {
      const test = await start({}, { trustProxy: true, failuresPerMinutePerIp: 4 })
      const tried = [
        await ask(test, '/contacts', 'sk_wrong'),
        await ask(test, '/wp-login.php', null),
        await ask(test, '/contacts', null),
        await ask(test, '/nope', SECRET),
      ]
      expect(tried).toEqual([401, 404, 401, 404])
      expect(await ask(test, '/contacts', 'sk_other')).toBe(429)
      expect(await ask(test, '/nope', null)).toBe(429)
      const refused = await test.ask('GET', '/contacts', { key: null, headers: { 'x-forwarded-for': '203.0.113.7' } })
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(refused.body.message).toContain('4 a minute')
      expect(await ask(test, '/contacts', SECRET)).toBe(200)
      expect(await ask(test, '/health/live', null)).toBe(200)
      expect(await ask(test, '/contacts', 'sk_wrong', '198.51.100.1')).toBe(401)
    })
  })
})
