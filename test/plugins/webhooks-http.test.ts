import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../../core/ports/clock.ts'
import { silentLog } from '../../core/ports/log.ts'
import type { WebhookRequest } from '../../core/ports/webhook-sender.ts'
import { nodeDns } from '../../plugins/dns-node/index.ts'
import { forbiddenRange, networksOf } from '../../plugins/kit/net/forbidden-range.ts'
import { webhooksHttp } from '../../plugins/webhooks-http/index.ts'
import { FORBIDDEN_URLS } from '../contracts/forbidden-urls.ts'
import { webhookSenderContract } from '../contracts/webhook-sender.ts'
import { startDnsServer } from '../support/dns-server.ts'

const KIT = { log: silentLog, clock: systemClock }
const LOOPBACK = ['127.0.0.0/8', '::1']
const CERTIFICATE = new URL('../support/localhost-cert.pem', import.meta.url)
const KEY = new URL('../support/localhost-key.pem', import.meta.url)
const never = new AbortController().signal
const closers: (() => Promise<unknown>)[] = []

afterEach(async () => {
  vi.unstubAllEnvs()
  for (const close of closers.splice(0).reverse()) await close()
})

describe('webhooks by HTTP', () => {
  webhookSenderContract(async (egress) => {
    const { webhooks } = await webhooksHttp().open({ ...KIT, egress })
    return { webhooks, close: async () => {} }
  })

  describe('with a server that speaks nonsense', () => {
    it.each<[string, string, RegExp]>([
      ['HTTP/0.9', '<html>hello</html>', /./],
      ['SSH', 'SSH-2.0-OpenSSH_9.6\r\n', /./],
      ['Redis', '-ERR unknown command\r\n', /./],
      ['a header of more than 16 KB', `HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(17_000)}\r\n\r\n`, /header/i],
      ['endless header fields', `HTTP/1.1 200 OK\r\n${'X-A: b\r\n'.repeat(30_000)}`, /header/i],
      ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde', /./],
      [
        'a length and chunks',
        'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
        /./,
      ],
      ['a switch of protocols', 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n', /./],
      ['nothing but interim responses', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100), /./],
      ['a broken chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\nzz\r\n', /status 200/],
      ['half a header', 'HTTP/1.1 200 OK\r\nX-A', /./],
    ])('fails: %s', async (_what, words, reason) => {
      const port = await speak((socket) => socket.end(words))
      const answer = await send(`http://127.0.0.1:${port}/`)
      expect(answer).toMatchObject({ outcome: 'failed', reason: expect.stringMatching(reason) })
    })

    it('takes a body whose end is the end of the connection', async () => {
      const port = await speak((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nto the end'))
      expect(await send(`http://127.0.0.1:${port}/`)).toMatchObject({ status: 200, body: 'to the end' })
    })

    it('fails when the connection is reset before or after the request', async () => {
      const port = await speak((socket) => socket.resetAndDestroy())
      expect(await send(`http://127.0.0.1:${port}/`)).toMatchObject({ outcome: 'failed' })
      const server = createServer((socket) => socket.on('error', () => {}).resetAndDestroy())
      expect(await send(`http://127.0.0.1:${await listen(server)}/`)).toMatchObject({ outcome: 'failed' })
    })

    it('unpacks nothing', async () => {
      const requests: string[] = []
      const port = await speak((socket, request) => {
        requests.push(request)
        socket.end('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nABCD')
      })
      expect(await send(`http://127.0.0.1:${port}/`)).toMatchObject({ status: 200, body: 'ABCD' })
      expect(requests[0]?.toLowerCase()).toContain('accept-encoding: identity\r\n')
    })
  })

  it('holds little of 100 MB, and leaves no connection behind', async () => {
    const block = Buffer.alloc(1_000_000, 'x')
    const closed: Promise<unknown>[] = []
    let sent = 0
    const port = await speak((socket) => {
      closed.push(new Promise((done) => socket.once('close', done)))
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${100 * block.length}\r\n\r\n`)
      const more = () => {
        while (!socket.destroyed && sent < 100 * block.length) {
          sent += block.length
          if (!socket.write(block)) return void socket.once('drain', more)
        }
      }
      more()
    })
    const answer = await send(`http://127.0.0.1:${port}/`)
    expect(answer).toMatchObject({ outcome: 'answered', body: 'x'.repeat(64 * 1024) })
    await Promise.all(closed)
    expect(sent).toBeLessThan(20 * block.length)
  })

  it('closes the connection also after a time-out and a redirect', async () => {
    const closed: Promise<unknown>[] = []
    const port = await speak((socket, request) => {
      closed.push(new Promise((done) => socket.once('close', done)))
      if (request.startsWith('POST /from'))
        socket.write('HTTP/1.1 307 Go\r\nLocation: /to\r\nContent-Length: 9\r\n\r\n')
    })
    expect(await send(`http://127.0.0.1:${port}/from`, { timeout: 300 })).toMatchObject({ outcome: 'failed' })
    expect(closed).toHaveLength(2)
    await Promise.all(closed)
  })

  it('asks no proxy of the environment', async () => {
    let asked = 0
    const proxy = await speak(() => void asked++)
    for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY'])
      vi.stubEnv(name, `http://127.0.0.1:${proxy}`)
    vi.stubEnv('NODE_USE_ENV_PROXY', '1')
    const port = await speak((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'))
    expect(await send(`http://127.0.0.1:${port}/`)).toMatchObject({ status: 200 })
    expect(asked).toBe(0)
  })

  describe('over TLS', () => {
    const secure = async () => {
      const [cert, key] = await Promise.all([readFile(CERTIFICATE, 'utf8'), readFile(KEY, 'utf8')])
      const server = createTlsServer({ cert, key }, (request, response) => {
        if (request.url !== '/down') return void response.end('safe')
        response.writeHead(307, { location: 'http://127.0.0.1/' }).end()
      })
      return { port: await listen(server, '0.0.0.0'), ca: cert }
    }

    it.each(['localhost', 'localhost.', '127.0.0.1'])('takes a certificate for the name %s it trusts', async (host) => {
      const { port, ca } = await secure()
      expect(await send(`https://${host}:${port}/`, {}, { ca })).toMatchObject({ status: 200, body: 'safe' })
    })

    it('fails with a certificate nobody vouches for, whatever the environment says', async () => {
      const { port } = await secure()
      vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
      const answer = await send(`https://localhost:${port}/`)
      expect(answer).toMatchObject({ outcome: 'failed', reason: expect.stringMatching(/^TLS: .*certificate/i) })
    })

    it('fails with a certificate for another name or address', async () => {
      const { port, ca } = await secure()
      for (const host of ['a.localhost', '127.0.0.2']) {
        const answer = await send(`https://${host}:${port}/`, {}, { ca })
        expect(answer).toMatchObject({ outcome: 'failed', reason: expect.stringMatching(/^TLS: /) })
      }
    })

    it('fails when the server does not speak it, or says nothing', async () => {
      const port = await listen(createServer((socket) => socket.on('error', () => {}).end('HTTP/1.1 400 Bad\r\n\r\n')))
      expect(await send(`https://localhost:${port}/`)).toMatchObject({ outcome: 'failed' })
      const silent = await speak(() => {})
      expect(await send(`https://localhost:${silent}/`, { timeout: 300 })).toMatchObject({ outcome: 'failed' })
    })

    it('does not go down to http', async () => {
      const { port, ca } = await secure()
      const answer = await send(`https://localhost:${port}/down`, {}, { ca })
      expect(answer).toMatchObject({ outcome: 'forbidden', reason: expect.stringContaining('https to http') })
    })
  })

  it('with a real resolver connects to what was checked, however often the name changes', async () => {
    const zone = await startDnsServer({ 'a.example': { A: ['127.0.0.2'] } })
    // a name that changes faster than any answer is kept
    const { dns, close } = await nodeDns({ servers: [zone.address], cacheEntries: 0 }).open(KIT)
    closers.push(
      () => zone.close(),
      async () => close?.(),
    )
    const inside = createServer((socket) => void socket.destroy())
    let connections = 0
    inside.on('connection', () => connections++)
    const port = await speak((socket) => {
      zone.set('a.example', 'A', ['127.0.0.1'])
      socket.end('HTTP/1.1 307 Go\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n')
    }, '127.0.0.2')
    await listen(inside, '127.0.0.1', port)
    const { webhooks } = await webhooksHttp().open({ ...KIT, egress: { dns, allow: ['127.0.0.2'] } })
    const answer = await webhooks.send(request(`http://a.example:${port}/`), never)
    expect(answer).toMatchObject({ outcome: 'forbidden' })
    expect(zone.questions).toContain('AAAA a.example')
    expect(connections).toBe(0)
  })
})

describe('forbidden ranges', () => {
  it('have a long list of spellings', () => {
    expect(FORBIDDEN_URLS.length).toBeGreaterThan(120)
  })

  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '93.184.215.14',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '168.63.129.15',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2a00:1450:4001:81b::200e',
    '2001:4860:4860::8888',
    '64:ff9b::8.8.8.8',
    '::ffff:8.8.8.8',
    '2a00:1450:4001:81b:0:5efe:8.8.8.8',
  ])('do not have %s', (address) => {
    expect(forbiddenRange(address, [])).toBeUndefined()
  })

  it.each([
    ['10.1.2.3', '10.0.0.0/8', undefined],
    ['10.1.2.3', '10.1.2.3', undefined],
    ['11.1.2.3', '10.1.2.3', undefined],
    ['10.1.2.4', '10.1.2.3', 'private'],
    ['fd12::1', 'fd12::/16', undefined],
    ['fd13::1', 'fd12::/16', 'unique local'],
    ['::ffff:10.1.2.3', '10.0.0.0/8', undefined],
    ['64:ff9b::10.1.2.3', '10.0.0.0/8', undefined],
    ['10.1.2.3', '::/0', 'private'],
    ['fd12::1', '0.0.0.0/0', 'unique local'],
    ['fe80::1%eth0', 'fe80::/10', 'not an address'],
    ['010.1.2.3', '0.0.0.0/0', 'not an address'],
  ])('judge %s with %s allowed: %s', (address, allowed, range) => {
    expect(forbiddenRange(address, networksOf([allowed]))).toBe(range)
  })
})

function request(url: string, more: Partial<WebhookRequest> = {}): WebhookRequest {
  return { url, method: 'POST', headers: {}, body: '{}', timeout: 10_000, ...more }
}

async function send(url: string, more: Partial<WebhookRequest> = {}, options: Parameters<typeof webhooksHttp>[0] = {}) {
  const { dns } = await nodeDns({ servers: ['127.0.0.1:1'] }).open(KIT)
  const { webhooks } = await webhooksHttp(options).open({ ...KIT, egress: { dns, allow: LOOPBACK } })
  return webhooks.send(request(url, more), never)
}

/** A server that says something when a whole request header has come. */
function speak(answer: (socket: Socket, request: string) => void, at?: string): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    let request = ''
    socket.on('data', (data) => {
      const before = request
      request += data.toString('latin1')
      if (!before.includes('\r\n\r\n') && request.includes('\r\n\r\n')) answer(socket, request)
    })
  })
  return listen(server, at)
}

async function listen(server: Server, at = '127.0.0.1', port = 0): Promise<number> {
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  server.listen(port, at)
  await once(server, 'listening')
  closers.push(async () => {
    for (const socket of open) socket.destroy()
    await new Promise((done) => server.close(done))
  })
  return (server.address() as AddressInfo).port
}
