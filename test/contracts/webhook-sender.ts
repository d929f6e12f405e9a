import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import type { EgressRules, WebhookRequest, WebhookSender } from '../../core/ports/webhook-sender.ts'
import { FORBIDDEN_URLS } from './forbidden-urls.ts'
import { type Trap, trap } from './loopback-only.ts'
import { drip, type Handle, type Names, resolver, startWebServer } from './web-server.ts'

/** The subject of the contract: one sender. */
export interface WebhookSenderSubject {
  readonly webhooks: WebhookSender
  close(): Promise<void>
}

/**
 * The promises of every sender of webhooks. `setup` makes one that goes by this `egress`, which the contract fills; its
 * servers listen on 127.0.0.1 and 127.0.0.2.
 *
 * The suite asks for many private addresses, and an unfinished sender may try to reach them. So the first test uses the
 * suite's own servers alone, and until a sender passes it no other test makes a request. Meanwhile this process can
 * connect to nothing else: every other address is refused before anything is sent, and the test fails.
 */
export function webhookSenderContract(setup: (egress: EgressRules) => Promise<WebhookSenderSubject>) {
  const closers: (() => Promise<unknown>)[] = []
  const ports = new Set<number>()
  let fence: Trap | undefined
  let first: Promise<void> | undefined
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close()
    const caught = fence?.caught ?? []
    fence?.release()
    fence = undefined
    ports.clear()
    expect(caught, 'the sender tried to connect to').toEqual([])
  })

  async function sender(allow: readonly string[] = ['127.0.0.0/8'], names: Names = {}): Promise<WebhookSender> {
    first ??= passesFirst()
    await first.catch((error) => {
      throw new Error(`No request was made, since the sender is not safe to be tried yet: ${firstLine(error)}`)
    })
    return guarded(allow, names)
  }

  /** A sender that reaches nothing but the servers of this test. */
  async function guarded(allow: readonly string[], names: Names): Promise<WebhookSender> {
    const dns = resolver(names)
    fence?.release()
    const caught = fence?.caught ?? []
    fence = trap(ports, (name, family) => (family === 4 ? dns.ipv4(name) : dns.ipv6(name)))
    fence.caught.push(...caught)
    const { webhooks, close } = await setup({ dns, allow })
    closers.push(close)
    return webhooks
  }

  /** Throws unless the sender refuses loopback, by address and by name, and connects where the suite can see it. */
  async function passesFirst(): Promise<void> {
    const { arrived, base, port } = await listen(ok)
    const names = { 'a.example': [['127.0.0.1']] }
    const strict = await guarded([], names)
    for (const url of [base, `http://a.example:${port}/`]) {
      const { outcome } = await strict.send(post(url), never)
      if (outcome === 'forbidden' && arrived.length === 0) continue
      throw new Error(`${url} leads to 127.0.0.1 and must be forbidden, since egress.allow is empty; it was ${outcome}`)
    }
    const open = await guarded(['127.0.0.0/8'], names)
    const before = fence?.seen() ?? 0
    const answer = await open.send(post(base), never)
    if (answer.outcome !== 'answered' || arrived.length !== 1) {
      const why = answer.outcome === 'answered' ? `${arrived.length} requests arrived` : answer.reason
      throw new Error(`${base} is allowed by egress.allow and must be reached; it was ${answer.outcome}: ${why}`)
    }
    if (fence?.seen() === before) {
      throw new Error(
        'it connects where the suite cannot see it: outside this process or by native code. Connect by node:net, or by what uses it (node:http, node:tls, fetch)',
      )
    }
  }

  async function listen(handle: Handle, at?: string, port?: number) {
    const server = await startWebServer(handle, at, port)
    closers.push(server.close)
    ports.add(server.port)
    return server
  }

  const never = new AbortController().signal
  const post = (url: string, more: Partial<WebhookRequest> = {}): WebhookRequest => {
    return { url, method: 'POST', headers: {}, body: '{}', timeout: 10_000, ...more }
  }
  const to = (response: ServerResponse, location: string, status = 307) =>
    response.writeHead(status, { location }).end('elsewhere')
  const ok: Handle = (_request, response) => void response.end('ok')

  it('keeps to the addresses it may reach: until it does, no other test makes a request', async () => {
    first ??= passesFirst()
    await first
  })

  describe('one request', () => {
    it('takes a body of bytes', async () => {
      const webhooks = await sender()
      const { arrived, base } = await listen(ok)
      const body = Buffer.from('xx{"ä":1}yy').subarray(2, -2)
      await webhooks.send(post(base, { body: new Uint8Array(body.buffer, body.byteOffset, body.byteLength) }), never)
      expect(arrived).toMatchObject([{ body: '{"ä":1}', headers: { 'content-length': '8' } }])
    })

    it('arrives as it was given', async () => {
      const webhooks = await sender()
      const { arrived, base } = await listen(ok)
      const headers = {
        'Content-Type': 'application/json',
        'X-Key': 'k',
        'webhook-id': 'msg_1',
        'User-Agent': 'Mine/1',
      }
      const body = JSON.stringify({ text: 'Grüße 💌' })
      const answer = await webhooks.send(post(`${base}/a/b?c=d%20e#fragment`, { headers, body }), never)
      expect(answer).toMatchObject({ outcome: 'answered', status: 200, body: 'ok' })
      const [request, ...more] = arrived
      expect(more).toEqual([])
      expect(request).toMatchObject({ method: 'POST', path: '/a/b?c=d%20e', body })
      expect(request!.headers).toMatchObject({
        'content-type': 'application/json',
        'x-key': 'k',
        'webhook-id': 'msg_1',
        'user-agent': 'Mine/1',
        'content-length': String(Buffer.byteLength(body)),
        host: new URL(base).host,
      })
    })

    it.each([
      'GET',
      'HEAD',
      'POST',
      'PUT',
      'PATCH',
      'DELETE',
    ] as const)('can be a %s without a body', async (method) => {
      const webhooks = await sender()
      const { arrived, base } = await listen(ok)
      const answer = await webhooks.send({ url: base, method, headers: {}, timeout: 10_000 }, never)
      expect(answer.outcome).toBe('answered')
      expect(arrived).toMatchObject([{ method, path: '/', body: '' }])
    })

    it('does not let headers change where it goes or where it ends', async () => {
      const webhooks = await sender()
      const { arrived, base } = await listen(ok)
      const headers = {
        Host: 'internal.example',
        'Content-Length': '1',
        'Transfer-Encoding': 'chunked',
        Connection: 'keep-alive, Upgrade',
        Upgrade: 'websocket',
        Expect: '100-continue',
      }
      expect(await webhooks.send(post(base, { headers, body: 'whole' }), never)).toMatchObject({ status: 200 })
      expect(arrived).toMatchObject([{ body: 'whole', headers: { host: new URL(base).host, 'content-length': '5' } }])
      for (const name of ['transfer-encoding', 'upgrade', 'expect'])
        expect(arrived[0]!.headers).not.toHaveProperty(name)
    })

    it.each([
      ['x-a', 'b\r\nx-injected: 1'],
      ['x-a\r\nx-injected: 1\r\nx-b', 'c'],
      ['', 'a'],
      ['x a', 'b'],
      ['x-a', 'nul\0'],
    ])('is not made when a header cannot be sent: %j: %j', async (name, value) => {
      const webhooks = await sender()
      const { arrived, base } = await listen(ok)
      const answer = await webhooks.send(post(base, { headers: { [name]: value } }), never)
      expect(answer).toMatchObject({ outcome: 'forbidden', reason: expect.stringMatching(/\S/) })
      expect(arrived).toEqual([])
    })

    it.each([200, 204, 400, 404, 410, 429, 500, 503])('answers the status %s', async (status) => {
      const webhooks = await sender()
      const { base, arrived } = await listen((_request, response) => {
        response.writeHead(status, { 'Retry-After': '7', 'X-Two': ['a', 'b'] })
        response.end(status === 204 ? undefined : `status ${status}`)
      })
      expect(await webhooks.send(post(base), never)).toMatchObject({
        outcome: 'answered',
        status,
        headers: { 'retry-after': '7', 'x-two': 'a, b' },
        body: status === 204 ? '' : `status ${status}`,
      })
      // it is tried once
      expect(arrived).toHaveLength(1)
    })

    it('answers the first 64 KB of a body, and ends the connection there', async () => {
      const webhooks = await sender()
      let sent = 0
      const closed: Promise<unknown>[] = []
      const { base } = await listen((_request, response) => {
        closed.push(once(response, 'close'))
        const more = () => {
          while (!response.destroyed && sent < 100_000_000) {
            sent += 50_000
            if (!response.write('é'.repeat(25_000))) return void response.once('drain', more)
          }
        }
        more()
      })
      const answer = await webhooks.send(post(base), never)
      expect(answer).toMatchObject({ outcome: 'answered', status: 200 })
      const body = answer.outcome === 'answered' ? answer.body : ''
      expect(body).toBe('é'.repeat(32 * 1024))
      await Promise.all(closed)
      expect(sent).toBeLessThan(50_000_000)
    })

    it('answers a document whole, in the encoding it declares, and none that is larger than it may be', async () => {
      const webhooks = await sender()
      const declared = Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><a>é</a>', 'latin1')
      const { base } = await listen(({ path }, response) => {
        if (path === '/named') response.writeHead(200, { 'content-type': 'text/xml; charset=utf-8' }).end('é')
        else response.end(path === '/declared' ? declared : path === '/odd' ? 'é' : 'é'.repeat(50_000))
      })
      const ask = (path: string, maxBytes = 100_000) =>
        webhooks.send(post(`${base}${path}`, { method: 'GET', document: { maxBytes } }), never)
      expect(await ask('/declared')).toMatchObject({ body: expect.stringContaining('<a>é</a>') })
      expect(await ask('/named')).toMatchObject({ body: 'é' })
      expect(await ask('/long')).toMatchObject({ body: 'é'.repeat(50_000) })
      expect(await ask('/long', 99_999)).toMatchObject({ outcome: 'failed', reason: expect.stringContaining('larger') })
    })

    it('answers a body of whatever bytes as text that can be kept', async () => {
      const webhooks = await sender()
      const { base } = await listen((_request, response) => void response.end(Buffer.from([65, 0, 255, 66])))
      expect(await webhooks.send(post(base), never)).toMatchObject({ body: 'A\ufffd\ufffdB' })
    })
  })

  describe('redirects', () => {
    it.each([
      [307, 'POST', '/to?x=1'],
      [308, 'PUT', '/to?x=1'],
      [301, 'POST', '/from/'],
      [302, 'PATCH', '/from/'],
    ] as const)('of %s take a whole %s to %s', async (status, method, place) => {
      const webhooks = await sender()
      const { arrived, base } = await listen((request, response) =>
        request.path === '/from' ? to(response, place, status) : response.end('there'),
      )
      const headers = { 'content-type': 'text/plain', 'webhook-signature': 'v1,x', authorization: 'secret' }
      const answer = await webhooks.send(post(`${base}/from`, { method, headers, body: 'hello' }), never)
      expect(answer).toMatchObject({ outcome: 'answered', status: 200, body: 'there' })
      expect(arrived[1]).toMatchObject({ method, path: place, body: 'hello', headers })
    })

    it.each([301, 302])('of %s take a whole POST to the host with www.', async (status) => {
      const webhooks = await sender(['127.0.0.0/8'], { 'a.example': [['127.0.0.1']], 'www.a.example': [['127.0.0.1']] })
      const { arrived, port } = await listen(({ headers }, response) =>
        headers.host?.startsWith('www.')
          ? response.end('there')
          : to(response, `http://www.a.example:${port}/in?a=b`, status),
      )
      expect(await webhooks.send(post(`http://a.example:${port}/in?a=b`), never)).toMatchObject({ status: 200 })
      expect(arrived[1]).toMatchObject({ method: 'POST', path: '/in?a=b', body: '{}' })
    })

    it.each([
      [301, '/login'],
      [302, '/login?next=%2Ffrom'],
      [303, '/from/'],
      [303, '/from'],
      [301, '/'],
      [302, '/from?x=1'],
      [301, 'http://w.a.example/from'],
      [302, 'http://example/from'],
      [301, 'file:///from'],
      [302, 'http://169.254.169.254/from'],
    ])('of %s to %s are answered, and no other page is asked for', async (status, place) => {
      const webhooks = await sender(['127.0.0.0/8'], { 'a.example': [['127.0.0.1']] })
      let asked = 0
      const { arrived, port } = await listen((_request, response) =>
        asked++ === 0 ? to(response, place, status) : response.end('there'),
      )
      const url = `http://a.example:${port}/from`
      const answer = await webhooks.send(post(url), never)
      expect(answer).toMatchObject({
        outcome: 'answered',
        status,
        body: 'elsewhere',
        leadsTo: new URL(place, url).href,
      })
      expect(arrived).toHaveLength(1)
    })

    it.each([
      [301, 'POST', 'GET'],
      [302, 'POST', 'GET'],
      [303, 'POST', 'GET'],
      [307, 'POST', 'POST'],
      [302, 'PATCH', 'PATCH'],
      [303, 'DELETE', 'GET'],
      [301, 'GET', 'GET'],
    ] as const)('of %s turn a %s into a %s where all are followed', async (status, method, then) => {
      const webhooks = await sender()
      const { arrived, base } = await listen((request, response) =>
        request.path === '/from' ? to(response, '/to?x=1', status) : response.end('there'),
      )
      const headers = { 'content-type': 'text/plain', 'webhook-signature': 'v1,x', authorization: 'secret' }
      const request = post(`${base}/from`, { method, headers, body: 'hello', redirect: 'fetch' })
      const answer = await webhooks.send(request, never)
      expect(answer).toMatchObject({ outcome: 'answered', status: 200, body: 'there' })
      const kept = then === method
      expect(arrived[1]).toMatchObject({ method: then, path: '/to?x=1', body: kept ? 'hello' : '' })
      expect(arrived[1]!.headers.authorization).toBe('secret')
      expect(arrived[1]!.headers['content-type']).toBe(kept ? 'text/plain' : undefined)
      expect(arrived[1]!.headers['webhook-signature']).toBe(kept ? 'v1,x' : undefined)
    })

    it.each([301, 302, 303, 307, 308])('of %s are answered as they are to who wants to follow none', async (status) => {
      const webhooks = await sender()
      const { arrived, base } = await listen((_request, response) => to(response, '/there', status))
      const answer = await webhooks.send(post(base, { redirect: 'manual' }), never)
      expect(answer).toMatchObject({ outcome: 'answered', status, headers: { location: '/there' }, body: 'elsewhere' })
      expect(arrived).toHaveLength(1)
    })

    it('are followed five times, not six', async () => {
      const webhooks = await sender()
      const { arrived, base } = await listen((request, response) => {
        const left = Number(request.path?.slice(1))
        return left === 0 ? response.end('there') : to(response, `/${left - 1}`)
      })
      expect(await webhooks.send(post(`${base}/5`), never)).toMatchObject({ status: 200, body: 'there' })
      expect(await webhooks.send(post(`${base}/6`), never)).toMatchObject({ outcome: 'failed' })
      expect(arrived).toHaveLength(12)
    })

    it('in a circle fail', async () => {
      const webhooks = await sender()
      const { base } = await listen((_request, response) => to(response, '/'))
      expect(await webhooks.send(post(base), never)).toMatchObject({ outcome: 'failed' })
    })

    it('take no secrets to another origin', async () => {
      const webhooks = await sender()
      const other = await listen(ok)
      const { base } = await listen((_request, response) => to(response, `${other.base}/there`))
      const headers = { authorization: 'Bearer s', cookie: 'c=1', 'x-api-key': 'k', 'content-type': 'text/plain' }
      expect(await webhooks.send(post(base, { headers }), never)).toMatchObject({ status: 200 })
      const [request] = other.arrived
      expect(request).toMatchObject({ method: 'POST', body: '{}', headers: { 'content-type': 'text/plain' } })
      for (const name of ['authorization', 'cookie', 'x-api-key']) expect(request!.headers).not.toHaveProperty(name)
    })

    it('take signatures along, by their names', async () => {
      const webhooks = await sender()
      const other = await listen(ok)
      const { base } = await listen((_request, response) => to(response, `${other.base}/there`))
      const headers = { 'x-signature': 's', 'x-api-key': 'k' }
      await webhooks.send(post(base, { headers, signatures: ['x-signature'] }), never)
      expect(other.arrived[0]?.headers).toMatchObject({ 'x-signature': 's' })
      expect(other.arrived[0]?.headers).not.toHaveProperty('x-api-key')
    })

    it('to a forbidden address are not followed', async () => {
      const webhooks = await sender(['127.0.0.1/32'])
      const secret = await listen(ok, '127.0.0.2')
      const places = [secret.base, 'file:///etc/passwd', 'ftp://127.0.0.1/', 'http://u:p@127.0.0.1/', ...METADATA]
      for (const place of places) {
        const { base } = await listen((_request, response) => to(response, place))
        expect(await webhooks.send(post(base), never), place).toMatchObject({ outcome: 'forbidden' })
      }
      expect(secret.arrived).toEqual([])
    })

    it('without a place to go are answers', async () => {
      const webhooks = await sender()
      const { base } = await listen((_request, response) => response.writeHead(302).end('nowhere'))
      expect(await webhooks.send(post(base), never)).toMatchObject({
        outcome: 'answered',
        status: 302,
        body: 'nowhere',
      })
    })
  })

  describe('forbidden addresses', () => {
    it.each(FORBIDDEN_URLS)('%j is refused', async (url) => {
      const webhooks = await sender([])
      const answer = await webhooks.send(post(url), never)
      expect(answer).toMatchObject({ outcome: 'forbidden', reason: expect.stringMatching(/\S/) })
    })

    it('are the only ones: a public address is tried', async () => {
      const names = { 'a.example': [['93.184.215.14']] }
      for (const url of [
        'http://93.184.215.14/',
        'http://[2606:2800:220:1:248:1893:25c8:1946]/',
        'http://a.example/',
      ]) {
        const webhooks = await sender([], names)
        // nothing leaves this process: the connection is turned away
        expect(await webhooks.send(post(url), never), url).toMatchObject({ outcome: 'failed' })
        expect(fence?.caught.splice(0).length, `connections for ${url}`).toBeGreaterThan(0)
      }
    })

    it('are refused behind a name', async () => {
      for (const address of [
        '127.0.0.1',
        '10.0.0.5',
        '169.254.169.254',
        '::1',
        '::ffff:10.0.0.5',
        'fe80::1%eth0',
        'x',
      ]) {
        const webhooks = await sender([], { 'a.example': [[address]] })
        expect(await webhooks.send(post('http://a.example/'), never), address).toMatchObject({ outcome: 'forbidden' })
      }
    })

    it('are refused beside a public one, and are not told', async () => {
      const webhooks = await sender([], { 'a.example': [['93.184.215.14', '10.9.8.7']] })
      const answer = await webhooks.send(post('http://a.example/'), never)
      expect(answer).toMatchObject({ outcome: 'forbidden', reason: expect.not.stringContaining('10.9.8.7') })
    })

    it('are not reached by a name that changes after the check', async () => {
      const webhooks = await sender(['127.0.0.2/32'], { 'a.example': [['127.0.0.2'], ['127.0.0.1']] })
      const checked = await listen(
        (request, response) => (request.path === '/again' ? to(response, '/now') : response.end('public')),
        '127.0.0.2',
      )
      const inside = await listen(ok, '127.0.0.1', checked.port)
      const url = `http://a.example:${checked.port}`
      expect(await webhooks.send(post(`${url}/`), never)).toMatchObject({ status: 200, body: 'public' })
      expect(await webhooks.send(post(`${url}/`), never)).toMatchObject({ outcome: 'forbidden' })
      const other = await sender(['127.0.0.2/32'], { 'a.example': [['127.0.0.2'], ['127.0.0.1']] })
      expect(await other.send(post(`${url}/again`), never)).toMatchObject({ outcome: 'forbidden' })
      expect(checked.arrived).toMatchObject([{ path: '/' }, { path: '/again', headers: { host: new URL(url).host } }])
      expect(inside.arrived).toEqual([])
    })

    it.each([
      ['127.0.0.0/8', 'http://127.0.0.1'],
      ['127.0.0.1', 'http://127.0.0.1'],
      ['127.0.0.1/32', 'http://0x7f.1'],
      ['127.0.0.0/8', 'http://[::ffff:127.0.0.1]'],
      ['127.0.0.0/8', 'http://a.example'],
      ['127.0.0.0/8', 'http://localhost'],
    ])('are opened by allowing %s: %s', async (network, url) => {
      const webhooks = await sender([network], { 'a.example': [['127.0.0.1']] })
      const { port } = await listen(ok)
      expect(await webhooks.send(post(`${url}:${port}/`), never)).toMatchObject({ status: 200 })
      expect(await webhooks.send(post('http://10.0.0.1/'), never)).toMatchObject({ outcome: 'forbidden' })
    })
  })

  describe('what goes wrong outside', () => {
    it.each<[string, Handle]>([
      ['never answers', () => {}],
      ['sends a header and nothing else', (_request, response) => void response.writeHead(200).flushHeaders()],
      ['drips', (_request, response) => drip(response)],
    ])('is a failure when the server %s, after the time-out', async (_what, handle) => {
      const webhooks = await sender()
      const { base } = await listen(handle)
      const answer = await webhooks.send(post(base, { timeout: 300 }), never)
      expect(answer).toMatchObject({ outcome: 'failed', reason: expect.stringMatching(/\S/) })
    })

    it.each<[string, Handle]>([
      ['closes the connection', (_request, response) => response.destroy()],
      [
        'closes it in the middle of the body',
        (_request, response) => {
          response.writeHead(200, { 'content-length': '100' })
          response.write('half', () => response.destroy())
        },
      ],
      [
        'closes it between two chunks',
        (_request, response) => {
          response.writeHead(200)
          response.write('half', () => response.destroy())
        },
      ],
    ])('is a failure when the server %s', async (_what, handle) => {
      const webhooks = await sender()
      const { base } = await listen(handle)
      expect(await webhooks.send(post(base), never)).toMatchObject({ outcome: 'failed' })
    })

    it('is a failure when nobody listens, or there is no such name, or nobody knows', async () => {
      const webhooks = await sender(['127.0.0.0/8'], { 'broken.example': [] })
      const { port } = await listen(ok, '127.0.0.2')
      for (const url of [`http://127.0.0.1:${port}`, 'http://missing.example/', 'http://broken.example/']) {
        expect(await webhooks.send(post(url), never), url).toMatchObject({ outcome: 'failed' })
      }
    })

    it('is never called unsent when the request arrived', async () => {
      const webhooks = await sender()
      const { arrived, base } = await listen((_request, response) => response.destroy())
      const answer = await webhooks.send(post(base), never)
      expect(arrived).toHaveLength(1)
      expect(answer).not.toHaveProperty('unsent')
      const abort = new AbortController()
      const silent = await listen(() => abort.abort())
      expect(await webhooks.send(post(silent.base), abort.signal)).not.toHaveProperty('unsent')
    })

    it('is no obstacle when the next address of the name answers', async () => {
      const webhooks = await sender(['127.0.0.0/8'], { 'a.example': [['127.0.0.3', '127.0.0.2']] })
      const { arrived, port } = await listen(ok, '127.0.0.2')
      expect(await webhooks.send(post(`http://a.example:${port}/`), never)).toMatchObject({ status: 200 })
      expect(arrived).toMatchObject([{ at: '127.0.0.2' }])
    })
  })

  it('gives redirects together no more than the time-out', async () => {
    const webhooks = await sender()
    const { base } = await listen((_request, response) => setTimeout(() => to(response, '/next'), 200))
    const answer = await webhooks.send(post(base, { timeout: 500 }), never)
    expect(answer).toMatchObject({ outcome: 'failed' })
  })

  describe('the signal', () => {
    it('keeps a request from being made when it is aborted already', async () => {
      const webhooks = await sender()
      const { arrived, base } = await listen(ok)
      expect(await webhooks.send(post(base), AbortSignal.abort())).toMatchObject({ outcome: 'failed' })
      expect(arrived).toEqual([])
    })

    it('ends a request that waits', async () => {
      const webhooks = await sender()
      const abort = new AbortController()
      const { base } = await listen(() => abort.abort())
      expect(await webhooks.send(post(base, { timeout: 60_000 }), abort.signal)).toMatchObject({ outcome: 'failed' })
    })
  })
}

function firstLine(error: unknown): string {
  return String(error instanceof Error ? error.message : error).split('\n')[0] ?? ''
}

const METADATA = ['http://169.254.169.254/', 'http://[::ffff:a9fe:a9fe]/', 'http://2852039166/', '//[::1]:1/']
