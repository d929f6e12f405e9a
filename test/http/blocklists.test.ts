import { beforeAll, expect, it } from 'vitest'
import { nodeDns } from '../../plugins/dns-node/index.ts'
import { createApp } from '../../server/index.ts'
import { type AccountWorld, accountWorld, type Browser, newAddress, PASSWORD } from '../support/accounts.ts'
import { askApp, expectEnvelope } from '../support/app.ts'
import { type DnsServer, startDnsServer } from '../support/dns-server.ts'
import { QUICK } from '../support/matrix.ts'

const PATH = '/users/@me/operator/blocklists'
/** 2001:db8::25 and the test entry of IPv6 (RFC 5782), as lists name them. */
const IPV6 = '5.2.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2'
const TEST_IPV6 = '2.0.0.0.0.0.f.7.f.f.f.f.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0'

let world: AccountWorld
let operator: Browser
let dns: DnsServer

// no store decides any of this: one will do, the quicker
beforeAll(async () => {
  dns = await startDnsServer({
    '7.100.51.198.zen.spamhaus.org': { A: ['127.0.0.11'], TXT: ['https://check.example/198.51.100.7'] },
    '7.100.51.198.plain.example': { A: ['127.0.0.5', '127.0.0.9'] },
    '2.0.0.127.clear.example': { A: ['127.0.0.2'] },
    [`${TEST_IPV6}.clear.example`]: { A: ['127.0.0.2'] },
    [`${IPV6}.plain.example`]: { A: ['127.0.0.2'] },
    '7.100.51.198.refused.example': { A: ['127.255.255.254'] },
    '2.0.0.127.often.example': { A: ['127.255.255.255'] },
    '7.100.51.198.sold.example': { A: ['203.0.113.80'] },
  })
  dns.fail('7.100.51.198.down.example', 'SERVFAIL')
  const names = [
    'zen.spamhaus.org',
    ...['plain', 'clear', 'refused', 'often', 'silent', 'sold', 'down'].map((each) => `${each}.example`),
  ]
  world = await accountWorld(QUICK, {
    dns: nodeDns({ servers: [dns.address], timeoutMs: 300, tries: 1, cacheEntries: 0 }),
    domains: { blocklists: names, sendingAddresses: ['198.51.100.7'] },
  })
  const email = newAddress()
  await world.engine.accounts.make({ email, password: PASSWORD })
  operator = world.browserOf(await world.open('POST', '/auth/login', { email, password: PASSWORD }))
  return () => dns.close()
})

it('are asked on the addresses of the settings, and each answer is told for what it is', async () => {
  const { body, status } = await operator.ask('POST', PATH, { json: {} })
  expect(status).toBe(200)
  expect(body.addresses).toMatchObject([{ address: '198.51.100.7', isListed: true }])
  const told = body.addresses[0].listings.map(
    (each: { zone: string; state: string; adviceCodes: { code: string }[] }) => [
      each.zone.replace('.example', ''),
      each.state,
      each.adviceCodes[0]?.code,
    ],
  )
  expect(told).toEqual([
    ['zen.spamhaus.org', 'listed', 'dnsbl_pbl'],
    ['plain', 'listed', 'dnsbl_listed'],
    ['clear', 'clear', 'dnsbl_clear'],
    ['refused', 'refused', 'dnsbl_refused_resolver'],
    ['often', 'refused', 'dnsbl_refused_often'],
    ['silent', 'unknown', 'dnsbl_silent'],
    ['sold', 'unknown', 'dnsbl_odd'],
    ['down', 'unknown', 'dnsbl_no_answer'],
  ])
  expect(body.addresses[0].listings[0]).toMatchObject({
    ...{ codes: ['127.0.0.11'], reason: 'https://check.example/198.51.100.7' },
  })
})

it('are asked by the operator’s key, and by no other', async () => {
  const app = createApp(world.engine, { operatorKey: 'the-key-of-the-operator' })
  const ask = (key: string | null) => askApp(app, 'POST', '/operator/blocklists', { key, json: {} })
  const { status, body } = await ask('the-key-of-the-operator')
  expect({ status, addresses: body.addresses }).toMatchObject({
    ...{ status: 200, addresses: [{ address: '198.51.100.7', isListed: true }] },
  })
  expectEnvelope(await ask('sk_'.padEnd(51, 'a')), 401, 'INVALID_API_KEY')
  expectEnvelope(await ask(null), 401, 'MISSING_AUTH')
})

it('are asked on addresses that are given, of IPv6 too, each once', async () => {
  const addresses = ['2001:DB8::25', '2001:db8:0:0::25']
  const { body } = await operator.ask('POST', PATH, { json: { addresses } })
  expect(body.addresses.map(({ address }: { address: string }) => address)).toEqual(['2001:db8::25'])
  const states = new Map(
    body.addresses[0].listings.map(({ zone, state }: { zone: string; state: string }) => [zone, state]),
  )
  expect([states.get('plain.example'), states.get('clear.example'), states.get('silent.example')]).toEqual([
    ...['listed', 'clear', 'unknown'],
  ])
})

it('are for the person who runs the server, and refuse what is no address of the world', async () => {
  const stranger = await world.signup()
  expectEnvelope(await stranger.ask('POST', PATH, { json: {} }), 403, 'FORBIDDEN')
  expectEnvelope(await world.open('POST', PATH, {}), 401, 'MISSING_AUTH')
  for (const address of ['mail.example.com', '198.51.100.0/24', '10.0.0.1', '::1', '198.51.100.7:25', '']) {
    const answer = await operator.ask('POST', PATH, { json: { addresses: [address] } })
    expectEnvelope(answer, 422, 'VALIDATION_ERROR')
    expect(answer.body.error.errors[0].field, address).toBe('addresses.0')
  }
  expectEnvelope(await operator.ask('POST', PATH, { json: { addresses: [] } }), 422, 'VALIDATION_ERROR')
})
