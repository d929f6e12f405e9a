import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Finding } from '../../config/doctor/finding.ts'
import { nodeDns } from '../../plugins/dns-node/index.ts'
import { smtpServer } from '../../plugins/inbound-smtp/index.ts'
import { smtp } from '../../plugins/mail-smtp/index.ts'
import { postgresQueue } from '../../plugins/queue-postgres/index.ts'
import { postgresScheduler } from '../../plugins/scheduler-postgres/index.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { createClient } from '../../server/client/index.ts'
import { testMails } from '../../server/remote/test-mail.ts'
import { expectEnvelope, OTHER_SECRET, PUBLIC, SECRET, type TestApp, testApp } from '../support/app.ts'
import { type DnsServer, startDnsServer } from '../support/dns-server.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { QUICK } from '../support/matrix.ts'
import { freePort } from '../support/server-process.ts'
import { until } from '../support/until.ts'

// No store decides any of this: one will do, the quicker.
const store = QUICK

interface Check {
  readonly name: string
  readonly ok: boolean | null
  readonly seen: string
  readonly advice: string
}

const HOST = 'mx.operator.example'
const file = (name: string) => fileURLToPath(new URL(`../support/${name}`, import.meta.url))

describe('tests of sending domains', () => {
  let test: TestApp
  let dns: DnsServer
  let id: string
  let time = Date.now()
  beforeAll(async () => {
    dns = await startDnsServer({
      [HOST]: { A: ['127.0.0.1'], MX: [{ exchange: HOST, priority: 5 }], TXT: ['v=spf1 ip4:127.0.0.1 -all'] },
    })
    atEndOfFile(() => dns.close())
    const port = await freePort()
    const tls = { keyFile: file('localhost-key.pem'), certFile: file('localhost-cert.pem') }
    test = await testApp(
      store,
      {},
      {
        inbound: [smtpServer({ host: '127.0.0.1', port, hostname: HOST, tls })],
        transports: [{ name: 'relay', plugin: smtp({ host: '127.0.0.1', port, tls: { rejectUnauthorized: false } }) }],
        dns: nodeDns({ servers: [dns.address], timeoutMs: 300, tries: 1, cacheEntries: 0 }),
        clock: { now: () => new Date(time) },
        publicUrl: 'https://mail.operator.example',
        feedback: { returnPathHost: 'bounces.acme.example' },
      },
    )
    await test.engine.start()
    id = (await test.ask('POST', '/domains', { json: { domain: 'acme.example' } })).body.id
  })
  const verify = async () => (await test.ask('GET', `/domains/${id}/verify`)).body
  const publish = async () => {
    const { records } = await verify()
    const key = records.find(({ purpose }: { purpose: string }) => purpose === 'dkim')
    dns.set(key.name, 'TXT', [key.value])
    dns.set('bounces.acme.example', 'TXT', ['v=spf1 ip4:127.0.0.1 -all'])
    dns.set('acme.example', 'TXT', ['v=spf1 ip4:127.0.0.1 -all'])
    dns.set('_dmarc.acme.example', 'TXT', ['v=DMARC1; p=reject'])
    dns.set('1.0.0.127.in-addr.arpa', 'PTR', ['out.acme.example'])
    dns.set('out.acme.example', 'A', ['127.0.0.1'])
    expect(await verify()).toMatchObject({ verified: true })
    return key.name as string
  }
  const begin = (json?: object) => test.ask('POST', `/domains/${id}/test`, json ? { json } : {})
  const read = async (testId: string) => (await test.ask('GET', `/domains/${id}/test/${testId}`)).body
  const done = async (testId: string) => {
    await until('the test is done', async () => (await read(testId)).state === 'done', 10_000)
    const { checks }: { checks: readonly Check[] } = await read(testId)
    for (const { ok, seen, advice } of checks) {
      expect(seen).not.toBe('')
      if (ok === true) expect(advice).toBe('')
      if (ok === false) expect(advice).not.toBe('')
    }
    return new Map(checks.map((check) => [check.name, check]))
  }
  const counts = () => test.counts()

  it('begin only when the domain is proven', async () => {
    expectEnvelope(await begin(), 403, 'DOMAIN_NOT_VERIFIED')
    await publish()
  })

  it('send a real mail back to this server, and say of each thing whether it is right', async () => {
    const before = await counts()
    const started = await begin()
    expect(started).toMatchObject({ status: 202, body: { testId: expect.any(String) } })
    const { testId } = started.body
    const checks = await done(testId)
    expect(Object.fromEntries([...checks].map(([name, { ok }]) => [name, ok]))).toEqual({
      ...{ sent: true, arrived: true, spf: true, dkim: true, dmarc: true, tls: true, 'reverse dns': true },
      ...{ unsubscribe: true, size: true },
      ...{ 'record: dkim': true, 'record: spf': true, 'record: dmarc': true },
    })
    expect(checks.get('spf')!.seen).toBe('pass for bounces.acme.example from 127.0.0.1')
    expect(checks.get('dkim')!.seen).toBe('pass for acme.example')
    expect(checks.get('unsubscribe')!.seen).toMatch(/^<https:\/\/mail\.operator\.example\/.*One-Click$/)
    expect(checks.get('reverse dns')!.seen).toBe('127.0.0.1: out.acme.example')
    // the ledger has the mail itself, and nothing came of it: no contact, no received mail, no event, no figure
    const { contacts, emails, events } = await counts()
    expect({ contacts, emails, events }).toEqual({ ...before, emails: before.emails + 1 })
    expect((await test.ask('GET', '/deliverability')).body).toEqual([])
    expect((await test.ask('GET', '/emails?status=RECEIVED')).body.total).toBe(0)
  })

  it('are made by the doctor, which tells each line', async () => {
    const fetch = (request: Request) => Promise.resolve(test.app.fetch(request))
    const client = createClient({ baseUrl: 'http://localhost', key: SECRET, fetch })
    const found: Finding[] = []
    await testMails(client, undefined, new AbortController().signal, (finding) => found.push(finding))
    const states = new Map(found.map(({ part, state }) => [part, state]))
    expect(states.get('test mail acme.example: arrived')).toBe('ok')
    expect([...states.values()].filter((state) => state !== 'ok')).toEqual([])
    found.length = 0
    await testMails(client, 'Eva@Elsewhere.example', new AbortController().signal, (finding) => found.push(finding))
    expect(found[0]).toEqual({
      part: 'test mail acme.example: sent',
      state: 'problem',
      says: expect.stringContaining('is not a domain of this server'),
    })
  })

  it('say what is missing: a signature that fails, SPF, DMARC, the name of the address', async () => {
    const key = await publish()
    dns.set(key, 'TXT', ['v=DKIM1; k=rsa; p='])
    dns.set('bounces.acme.example', 'TXT', ['v=spf1 ip4:192.0.2.1 -all'])
    dns.set('_dmarc.acme.example', 'TXT', [])
    dns.set('1.0.0.127.in-addr.arpa', 'PTR', [])
    const checks = await done((await begin()).body.testId)
    expect(checks.get('dkim')).toMatchObject({ ok: false, advice: expect.stringContaining('published key') })
    // what is published for the world says nothing of a network of one's own
    expect(checks.get('spf')).toMatchObject({ ok: null, seen: expect.stringMatching(/^fail for bounces\.acme/) })
    expect(checks.get('dmarc')).toMatchObject({ ok: false, seen: 'none', advice: expect.stringContaining('p=none') })
    // an address of a private network has no name
    expect(checks.get('reverse dns')).toMatchObject({ ok: null, seen: '127.0.0.1: no name' })
  })

  it('to an address elsewhere say what can be known from here', async () => {
    await publish()
    const refused = (await begin({ to: 'Ada@Elsewhere.example' })).body.testId
    const checks = await done(refused)
    expect(checks.get('sent')).toMatchObject({
      ok: false,
      seen: expect.stringContaining('is not a domain of this server'),
    })
    expect([...checks.keys()]).toEqual(['sent', 'record: dkim', 'record: spf', 'record: dmarc'])
    const taken = await done((await begin({ to: 'somebody@example.com' })).body.testId)
    expect(taken.get('sent')).toMatchObject({ ok: true, seen: 'The transport relay accepted it.' })
    expect(taken.has('arrived')).toBe(false)
    expectEnvelope(await begin({ to: 'nobody' }), 422, 'VALIDATION_ERROR', { to: 'invalid_string' })
  })

  it('are taken at an address nobody can guess, once, and for an hour', async () => {
    await publish()
    const { testId } = (await begin()).body
    const { to } = (await test.ask('GET', `/emails/${testId}`)).body
    expect(to).toMatch(/^test\+[0-9a-v]{42}@bounces\.acme\.example$/)
    await done(testId)
    const accepts = async (address: string) => (await test.engine.inbound.accepts(address)).outcome
    expect(await accepts(to)).toBe('refused')
    const open = (await begin()).body.testId
    // as it was before its mail came
    const waiting = (await test.ask('GET', `/emails/${open}`)).body.to
    expect(await accepts(waiting.replace(/.@/, (end: string) => (end === '0@' ? '1@' : '0@')))).toBe('refused')
    await done(open)
  })

  it('are shown to their project alone, and are at most ten an hour for a domain', async () => {
    const { testId } = (await begin()).body
    await done(testId)
    for (const [path, options] of [
      [`/domains/${id}/test/${testId}`, { key: OTHER_SECRET }],
      [`/domains/${id}/test/not-an-id`, {}],
      [`/domains/${testId}/test/${testId}`, {}],
    ] as const) {
      expect((await test.ask('GET', path, options)).status).toBe(404)
    }
    expect((await test.ask('POST', `/domains/${id}/test`, { key: OTHER_SECRET })).status).toBe(404)
    expect((await test.ask('POST', `/domains/${id}/test`, { key: PUBLIC })).status).toBe(403)
    let last = 202
    let begun = 0
    for (; last === 202 && begun < 12; begun++) last = (await begin({ to: 'somebody@example.com' })).status
    expect(last).toBe(429)
    const refused = await begin()
    expectEnvelope(refused, 429, 'RATE_LIMIT_EXCEEDED')
    expect(refused.body.error.suggestion).toEqual(expect.any(String))
    time += 3_600_001
    expect((await begin()).status).toBe(202)
  })
})

it('look at once for the host that receives mail, and say since when and why there is none', async () => {
  const dns = await startDnsServer({})
  atEndOfFile(() => dns.close())
  const late = await testApp(
    store,
    {},
    {
      inbound: [smtpServer({ host: '127.0.0.1', port: 0, hostname: 'mx.late.example' })],
      dns: nodeDns({ servers: [dns.address], timeoutMs: 300, tries: 1 }),
      publicUrl: 'https://mail.operator.example',
    },
  )
  await late.engine.start()
  const { body } = await late.ask('POST', '/domains', { json: { domain: 'late.example' } })
  dns.set(body.records[0].name, 'TXT', [body.records[0].value])
  await late.ask('GET', `/domains/${body.id}/verify`)
  const begin = () => late.ask('POST', `/domains/${body.id}/test`, { json: {} })
  const missed = await begin()
  expect(missed.status).toBe(409)
  expect(missed.body.error.message).toMatch(
    /This server receives mail, but .*neither an MX record nor an address of mx\.late\.example .*since \d{4}-\d\d-\d\dT/,
  )
  expect(late.lines.find(({ message }) => message.includes('no mail names a host'))).toMatchObject({
    ...{ level: 'warn', fields: { reason: expect.stringContaining('mx.late.example') } },
  })
  dns.set('mx.late.example', 'A', ['127.0.0.1'])
  expect((await begin()).status).toBe(202)
})

it('say what is missing where a listener has no name, and in a process that serves the API alone', async () => {
  const dns = await startDnsServer({})
  atEndOfFile(() => dns.close())
  const refusalOf = async (store: Parameters<typeof testApp>[0], settings: object) => {
    const more = { dns: nodeDns({ servers: [dns.address], timeoutMs: 300, tries: 1 }), publicUrl: 'https://m.example' }
    const { ask, engine } = await testApp(store, {}, { ...more, ...settings })
    await engine.start()
    const { body } = await ask('POST', '/domains', { json: { domain: 'nameless.example' } })
    dns.set(body.records[0].name, 'TXT', [body.records[0].value])
    await ask('GET', `/domains/${body.id}/verify`)
    const answer = await ask('POST', `/domains/${body.id}/test`, { json: {} })
    expectEnvelope(answer, 409, 'CONFLICT')
    return answer.body.error as { message: string; suggestion: string }
  }
  const nameless = await refusalOf(store, { inbound: [smtpServer({ host: '127.0.0.1', port: 0 })] })
  expect(nameless.message).toMatch(/^This server receives mail, but .*: none of the listeners has a `hostname`/)
  expect(nameless.suggestion).toContain('domains.inboundHost')
  const url = await freshDatabase()
  const shared = { store: () => postgres({ url }) }
  const api = await refusalOf(shared, {
    role: 'api',
    queue: postgresQueue({ url }),
    scheduler: postgresScheduler({ url }),
    inbound: [smtpServer({ host: '127.0.0.1', port: 0, hostname: 'mx.nameless.example' })],
  })
  expect(api.message).toMatch(/^This process serves the API alone and knows no host at which another one receives mail/)
  expect(api.suggestion).toContain('domains.inboundHost')
})
