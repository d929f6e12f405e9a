import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { afterEach, describe, expect, it } from 'vitest'
import type { Log } from '../../core/ports/log.ts'
import { nodeDns } from '../../plugins/dns-node/index.ts'
import { dnsResolverContract } from '../contracts/dns-resolver.ts'
import { type DnsServer, type DnsServerOptions, startDnsServer } from '../support/dns-server.ts'

describe('the DNS by Node', () => {
  dnsResolverContract(async () => {
    const zone = await startDnsServer()
    const { dns, close } = await open({ servers: [zone.address], timeoutMs: 100, tries: 2 })
    return { dns, zone, close: () => Promise.all([close?.(), zone.close()]).then(() => {}) }
  })

  it('asks a silent server as often as it is told', async () => {
    const server = await start()
    server.fail('acme.example', 'drop')
    const { dns } = await open({ servers: [server.address], timeoutMs: 50, tries: 2 })
    await expect(dns.mx('acme.example')).rejects.toMatchObject({ code: 'ETIMEOUT' })
    expect(server.questions).toEqual(['MX acme.example', 'MX acme.example'])
  })

  it('asks the next server when the first does not answer', async () => {
    const [silent, able] = [await start(), await start()]
    silent.fail('acme.example', 'drop')
    able.set('acme.example', 'A', ['192.0.2.7'])
    const { dns } = await open({ servers: [silent.address, able.address], timeoutMs: 50 })
    expect(await dns.ipv4('acme.example')).toEqual(['192.0.2.7'])
    expect(silent.questions).toHaveLength(1)
    // and it first, for a while: a dead server must not hold up every question
    expect(await dns.mx('acme.example')).toEqual([])
    expect(silent.questions).toHaveLength(1)
  })

  it('gives up what it asks when it is closed', async () => {
    const server = await start()
    server.fail('acme.example', 'drop')
    const { dns, close } = await open({ servers: [server.address], timeoutMs: 60_000 })
    const asked = expect(dns.txt('acme.example')).rejects.toMatchObject({ code: 'ECANCELLED' })
    await close?.()
    await asked
  })

  it.each([
    ['127.0.0.1', true],
    ['127.0.0.1:5353', true],
    ['::1', true],
    ['[::1]:53', true],
    ['[::1]', true],
    ['localhost:53', false],
    ['127.0.0.1:0', false],
    ['127.0.0.1:70000', false],
    ['1.2.3:53', false],
    ['[127.0.0.1]:53', false],
    ['', false],
  ])('takes %s for a server: %s', async (server, right) => {
    const plugin = nodeDns({ servers: [server] })
    expect(plugin.problems().map(({ field, message }) => `${field} ${message}`)).toEqual(
      right ? [] : ['servers.0 must be an IP address, with or without a port'],
    )
    if (right) await plugin.open({ log, clock: { now: () => new Date() } }).then(({ close }) => close?.())
  })
})

describe('answers that are kept', () => {
  it.each([
    ['for their time', 30, 30],
    ['for a second at least', 0, 1],
    ['for an hour at most', 86_400, 3600],
  ])('%s', async (_, ttl, kept) => {
    const { server, dns, pass } = await keeping({ ttl })
    server.set('acme.example', 'MX', [{ exchange: 'mx.acme.example', priority: 5 }])
    const first = await dns.mx('acme.example')
    pass(kept - 0.001)
    expect(await dns.mx('ACME.example.')).toEqual(first)
    expect(server.questions).toHaveLength(1)
    pass(0.001)
    await dns.mx('acme.example')
    expect(server.questions).toHaveLength(2)
  })

  it.each([
    ['as long as the zone says', 60, 60],
    ['for five minutes at most', 86_400, 300],
    ['for a second when the zone says nothing', undefined, 1],
  ])('when they say that nothing is there: %s', async (_, nothingTtl, kept) => {
    const { server, dns, pass } = await keeping(nothingTtl === undefined ? {} : { nothingTtl })
    expect(await dns.txt('acme.example')).toEqual([])
    server.set('acme.example', 'TXT', ['here now'])
    pass(kept - 0.001)
    expect(await dns.txt('acme.example')).toEqual([])
    pass(0.001)
    expect(await dns.txt('acme.example')).toEqual(['here now'])
  })

  it('no longer than the alias that leads to them', async () => {
    const { server, dns, pass } = await keeping({ ttl: { 'www.example': 5, 'acme.example': 600 } })
    server.set('www.example', 'CNAME', ['acme.example'])
    server.set('acme.example', 'A', ['192.0.2.1'])
    await dns.ipv4('www.example')
    pass(6)
    await dns.ipv4('www.example')
    expect(server.questions).toHaveLength(2)
  })

  it('not when the question failed, and one question for all who ask at once', async () => {
    const { server, dns } = await keeping({ ttl: 60 })
    server.fail('acme.example', 'SERVFAIL')
    const asked = await Promise.allSettled(Array.from({ length: 20 }, () => dns.ipv4('acme.example')))
    expect(asked.every(({ status }) => status === 'rejected')).toBe(true)
    server.set('acme.example', 'A', ['192.0.2.1'])
    const again = await Promise.all(Array.from({ length: 20 }, () => dns.ipv4('acme.example')))
    expect(again.flat()).toEqual(Array.from({ length: 20 }, () => '192.0.2.1'))
    expect(server.questions).toEqual(['A acme.example', 'A acme.example'])
  })

  it('but so many, those used last', async () => {
    const { server, dns } = await keeping({ ttl: 60 }, { cacheEntries: 2 })
    for (const name of ['a', 'b', 'a', 'c', 'a', 'b']) await dns.ipv4(`${name}.example`)
    expect(server.questions).toEqual(['A a.example', 'A b.example', 'A c.example', 'A b.example'])
  })

  it('not past a clock that was set back', async () => {
    const { server, dns, pass } = await keeping({ ttl: 60 })
    await dns.ipv4('acme.example')
    pass(-86_400)
    await dns.ipv4('acme.example')
    expect(server.questions).toHaveLength(2)
  })
})

describe('what anybody may send', () => {
  it('is not taken for the answer: another id, another question, another sender', async () => {
    const server = await start()
    server.set('acme.example', 'A', ['192.0.2.1'])
    server.trick('acme.example', 'forged')
    const { dns } = await open({ servers: [server.address], timeoutMs: 2000 })
    expect(await dns.ipv4('acme.example')).toEqual(['192.0.2.1'])
  })

  it('may come from a server that does not know EDNS0', async () => {
    const server = await start()
    server.set('acme.example', 'A', ['192.0.2.1'])
    server.trick('acme.example', 'old')
    const { dns } = await open({ servers: [server.address], timeoutMs: 2000 })
    expect(await dns.ipv4('acme.example')).toEqual(['192.0.2.1'])
  })

  it('may be no message at all: the next server is asked', async () => {
    const babbling = createSocket('udp4').bind(0, '127.0.0.1')
    await once(babbling, 'listening')
    babbling.on('message', (query, from) => {
      for (const bytes of [Buffer.alloc(0), query.subarray(0, 11), Buffer.from([...query.subarray(0, 2), 0xff])]) {
        babbling.send(bytes, from.port, from.address)
      }
    })
    const able = await start()
    able.set('acme.example', 'A', ['192.0.2.1'])
    const servers = [`127.0.0.1:${babbling.address().port}`, able.address]
    const { dns } = await open({ servers, timeoutMs: 50 })
    expect(await dns.ipv4('acme.example')).toEqual(['192.0.2.1'])
    babbling.close()
  })
})

const log: Log = { debug() {}, info() {}, warn() {}, error() {}, with: () => log }

const servers: DnsServer[] = []
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())))

async function start(): Promise<DnsServer> {
  const server = await startDnsServer()
  servers.push(server)
  return server
}

/** A resolver that keeps answers, over a server whose records last, and a clock to set. */
async function keeping(lasting: DnsServerOptions, options: Parameters<typeof nodeDns>[0] = {}) {
  const server = await startDnsServer({}, lasting)
  servers.push(server)
  let now = Date.parse('2026-01-01T00:00:00Z')
  const clock = { now: () => new Date(now) }
  const { dns } = await nodeDns({ servers: [server.address], ...options }).open({ log, clock })
  const pass = (seconds: number) => {
    now += seconds * 1000
  }
  return { server, dns, pass }
}

function open(options: Parameters<typeof nodeDns>[0]) {
  return nodeDns(options).open({ log, clock: { now: () => new Date() } })
}
