import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { DnsResolver } from '../../core/ports/dns-resolver.ts'
import type { EgressRules, WebhookRequest, WebhookSender } from '../../core/ports/webhook-sender.ts'
import { FORBIDDEN_URLS } from './forbidden-urls.ts'

/** What the contract needs of one sender. */
export interface WebhookSenderSubject {
  readonly webhooks: WebhookSender
  close(): Promise<void>
}

/** What a request looked like when it arrived. */
interface Arrived {
  readonly method: string | undefined
  readonly path: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: string
  /** The address it was sent to. */
  readonly at: string | undefined
}

type Handle = (request: Arrived, response: ServerResponse, base: string) => void

/**
 * What every sender of webhooks promises. `setup` makes one that goes by this `egress`, which the contract fills; its
 * servers listen on 127.0.0.1 and 127.0.0.2.
 */
export function webhookSenderContract(setup: (egress: EgressRules) => Promise<WebhookSenderSubject>) {
  const closers: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close()
  })

  async function sender(allow: readonly string[] = ['127.0.0.0/8'], names: Names = {}): Promise<WebhookSender> {
    const { webhooks, close } = await setup({ dns: resolver(names), allow })
    closers.push(close)
    return webhooks
  }

  async function listen(handle: Handle, at = '127.0.0.1', port = 0) {
    const arrived: Arrived[] = []
    const server: Server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const { method, url: path, headers } = request
      const seen = { method, path, headers, body: Buffer.concat(chunks).toString(), at: request.socket.localAddress }
      arrived.push(seen)
      handle(seen, response, `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    })
    server.listen(port, at)
    await once(server, 'listening')
    closers.push(async () => {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    })
    const bound = (server.address() as AddressInfo).port
    return { arrived, port: bound, base: `http://${at}:${bound}` }
  }

  const never = new AbortController().signal
  const post = (url: string, more: Partial<WebhookRequest> = {}): WebhookRequest => {
    return { url, method: 'POST', headers: {}, body: '{}', timeout: 10_000, ...more }
  }
  const to = (response: ServerResponse, location: string, status = 307) =>
    response.writeHead(status, { location }).end('elsewhere')
  const ok: Handle = (_request, response) => void response.end('ok')

  describe('one request', () => {
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
      const { base } = await listen((_request, response) => {
        response.writeHead(status, { 'Retry-After': '7', 'X-Two': ['a', 'b'] })
        response.end(status === 204 ? undefined : `status ${status}`)
      })
      expect(await webhooks.send(post(base), never)).toMatchObject({
        outcome: 'answered',
        status,
        headers: { 'retry-after': '7', 'x-two': 'a, b' },
        body: status === 204 ? '' : `status ${status}`,
      })
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
      [301, 'POST', 'GET'],
      [302, 'POST', 'GET'],
      [303, 'POST', 'GET'],
      [307, 'POST', 'POST'],
      [308, 'POST', 'POST'],
      [301, 'PUT', 'PUT'],
      [302, 'PATCH', 'PATCH'],
      [303, 'PUT', 'GET'],
      [303, 'DELETE', 'GET'],
    ] as const)('of %s turn a %s into a %s', async (status, method, then) => {
      const webhooks = await sender()
      const { arrived, base } = await listen((request, response) =>
        request.path === '/from' ? to(response, '/to?x=1', status) : response.end('there'),
      )
      const headers = { 'content-type': 'text/plain', 'webhook-signature': 'v1,x', authorization: 'secret' }
      const answer = await webhooks.send(post(`${base}/from`, { method, headers, body: 'hello' }), never)
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

    it('to a forbidden address are not followed', async () => {
      const webhooks = await sender(['127.0.0.1/32'])
      const secret = await listen(ok, '127.0.0.2')
      const places = [secret.base, 'file:///etc/passwd', 'ftp://127.0.0.1/', 'http://u:p@127.0.0.1/', ...METADATA]
      for (const place of places) {
        const { base } = await listen((_request, response) => to(response, place, 302))
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

    it('is no obstacle when the next address of the name answers', async () => {
      const webhooks = await sender(['127.0.0.0/8'], { 'a.example': [['127.0.0.1', '127.0.0.2']] })
      const { arrived, port } = await listen(ok, '127.0.0.2')
      expect(await webhooks.send(post(`http://a.example:${port}/`), never)).toMatchObject({ status: 200 })
      expect(arrived).toMatchObject([{ at: '127.0.0.2' }])
    })
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

const METADATA = ['http://169.254.169.254/', 'http://[::ffff:a9fe:a9fe]/', 'http://2852039166/', '//[::1]:1/']

/** What a name's questions are answered, one after the other, the last one for ever; none at all is a failure. */
type Names = Readonly<Record<string, readonly (readonly string[])[]>>

function resolver(names: Names): DnsResolver {
  const turns = new Map<string, number>()
  const answer = async (name: string, isWanted: (address: string) => boolean) => {
    const answers = names[name.replace(/\.$/, '')]
    if (answers === undefined) return []
    if (answers.length === 0) throw new Error('SERVFAIL')
    const key = `${name} ${isWanted(':')}`
    const turn = turns.get(key) ?? 0
    turns.set(key, turn + 1)
    return (answers[turn] ?? answers.at(-1) ?? []).filter(isWanted)
  }
  const none = async () => []
  return {
    mx: none,
    txt: none,
    ns: none,
    cname: none,
    ipv4: (name) => answer(name, (address) => !address.includes(':')),
    ptr: async () => [],
    ipv6: (name) => answer(name, (address) => address.includes(':')),
  }
}

function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write('.'), 20)
  response.once('close', () => clearInterval(timer))
}
