import { afterEach, describe, expect, it } from 'vitest'
import type { Log } from '../../core/ports/log.ts'
import { nodeDns } from '../../plugins/dns-node/index.ts'
import { dnsResolverContract } from '../contracts/dns-resolver.ts'
import { type DnsServer, startDnsServer } from '../support/dns-server.ts'

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

const log: Log = { debug() {}, info() {}, warn() {}, error() {}, with: () => log }

const servers: DnsServer[] = []
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())))

async function start(): Promise<DnsServer> {
  const server = await startDnsServer()
  servers.push(server)
  return server
}

function open(options: Parameters<typeof nodeDns>[0]) {
  return nodeDns(options).open({ log, clock: { now: () => new Date() } })
}
