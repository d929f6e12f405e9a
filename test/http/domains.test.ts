import { setTimeout as pause } from 'node:timers/promises'
import { dkimVerify } from 'mailauth'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { dnsKeeper, providerOf } from '../../core/domains/dns-keeper.ts'
import { nodeDns } from '../../plugins/dns-node/index.ts'
import { DISABLED_SECRET, expectEnvelope, MAIL, OTHER_SECRET, PUBLIC, type TestApp, testApp } from '../support/app.ts'
import { type DnsServer, startDnsServer } from '../support/dns-server.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { toSink } from '../support/engine.ts'
import { QUICK } from '../support/matrix.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

interface Rec {
  readonly type: string
  readonly name: string
  readonly value: string
  readonly purpose: string
  readonly required: boolean
  readonly status: string
  readonly advice: string
}

const DAY_MS = 86_400_000

// On one store: the repository of domains has its contract on both, and each domain here makes a key of its own.
describe('sending domains', () => {
  const store = QUICK
  let test: TestApp
  let dns: DnsServer
  let sink: SmtpSink
  let time = Date.parse('2026-05-01T12:00:00Z')
  beforeAll(async () => {
    ;[dns, sink] = await Promise.all([startDnsServer({}, { ttl: 300, nothingTtl: 300 }), startSmtpSink()])
    atEndOfFile(() => Promise.all([dns.close(), sink.close()]))
    test = await testApp(
      store,
      {},
      {
        transports: [toSink(sink)],
        dns: nodeDns({ servers: [dns.address], timeoutMs: 400, tries: 1 }),
        clock: { now: () => new Date(time) },
        publicUrl: 'https://mail.operator.example',
        domains: { returnPathHost: 'bounces.operator.example', inboundHost: 'mx.operator.example' },
      },
    )
    await test.engine.start()
  })
  const own = async () => (await test.engine.projects.list()).find(({ name }) => name === 'Test')!
  const add = (domain: unknown, key?: string) =>
    test.ask('POST', '/domains', { json: { domain }, ...(key ? { key } : {}) })
  const verify = async (id: string) => (await test.ask('GET', `/domains/${id}/verify`)).body
  const keysOf = (record: { records: readonly Rec[] }) => record.records.filter(({ purpose }) => purpose === 'dkim')
  const publish = ({ name, value }: Rec) => dns.set(name, 'TXT', [value])
  /** A domain with its key published and seen. */
  const verified = async (domain: string) => {
    const { body } = await add(domain)
    publish(keysOf(body)[0]!)
    return verify(body.id)
  }
  const send = (domain: string, more: object = {}) =>
    test.ask('POST', '/v1/send', { json: { ...MAIL, from: `hello@${domain}`, ...more } })
  /** The verdict of independent software on the signatures of the next mail from that domain. */
  const signatures = async (domain: string) => {
    sink.clear()
    expect((await send(domain)).status).toBe(200)
    const [mail] = await sink.waitFor(1)
    const { results } = await dkimVerify(mail!.raw, {
      strict: true,
      resolver: async (name, type) => {
        const texts = type === 'TXT' ? await test.engine.dns.txt(name) : []
        if (texts.length === 0) throw Object.assign(new Error('none'), { code: 'ENOTFOUND' })
        return texts.map((text) => [text])
      },
    })
    return results.map(({ status, signingDomain, selector }) => `${status.result} ${signingDomain} ${selector}`)
  }

  it('are added with the records to publish, and listed', async () => {
    const { status, body } = await add(' Shop.Acme.example ')
    const { id: projectId } = await own()
    expect(status).toBe(201)
    expect(body).toEqual({
      ...{ id: expect.any(String), projectId, domain: 'shop.acme.example', verified: false, status: 'PENDING' },
      ...{ lastCheckedAt: null, createdAt: expect.any(String), updatedAt: expect.any(String) },
      records: [
        {
          ...{ type: 'TXT', name: expect.stringMatching(/^mw202605-[0-9a-f]{6}\._domainkey\.shop\.acme\.example$/) },
          ...{
            value: expect.stringMatching(/^v=DKIM1; k=rsa; p=[A-Za-z0-9+/=]{392}$/),
            purpose: 'dkim',
            required: true,
          },
          ...{ status: 'PENDING', advice: expect.any(String), adviceCodes: [{ code: 'not_looked_for', params: {} }] },
        },
        expect.objectContaining({
          purpose: 'spf',
          name: 'shop.acme.example',
          value: 'v=spf1 a:mail.operator.example ~all',
          required: false,
        }),
        expect.objectContaining({
          purpose: 'return-path',
          type: 'CNAME',
          name: 'bounces.shop.acme.example',
          value: 'bounces.operator.example',
        }),
        expect.objectContaining({
          purpose: 'inbound',
          type: 'MX',
          name: 'shop.acme.example',
          value: '10 mx.operator.example',
        }),
        expect.objectContaining({
          purpose: 'tls-reports',
          name: '_smtp._tls.shop.acme.example',
          value: 'v=TLSRPTv1; rua=mailto:tlsrpt@bounces.shop.acme.example',
          required: false,
        }),
        expect.objectContaining({
          purpose: 'dmarc',
          type: 'TXT',
          name: '_dmarc.shop.acme.example',
          value: 'v=DMARC1; p=none; rua=mailto:dmarc@bounces.shop.acme.example',
        }),
      ],
    })
    expect(JSON.stringify(body)).not.toMatch(/PRIVATE|sealed|v1:/)
    const listed = await test.ask('GET', `/domains/project/${projectId}`)
    expect(listed.body.map(({ domain }: { domain: string }) => domain)).toEqual(['shop.acme.example'])
    expectEnvelope(await send('shop.acme.example'), 403, 'DOMAIN_NOT_VERIFIED')
  })

  it('say who keeps their DNS, by the name servers of the zone', async () => {
    dns.set('kept.example', 'NS', ['ada.ns.cloudflare.com', 'bob.ns.cloudflare.com'])
    dns.set('own.example', 'NS', ['ns1.own.example'])
    dns.set('both.example', 'NS', ['ns1.domaincontrol.com', 'ada.ns.cloudflare.com'])
    const keeper = async (domain: string) => {
      const { body } = await test.ask('POST', '/domains', { json: { domain } })
      return (await test.ask('GET', `/domains/${body.id}/keeper`)).body
    }
    expect(await keeper('news.kept.example')).toEqual({
      nameServers: ['ada.ns.cloudflare.com', 'bob.ns.cloudflare.com'],
      provider: { name: 'Cloudflare', url: expect.stringMatching(/^https:/) },
    })
    expect(await keeper('own.example')).toEqual({ nameServers: ['ns1.own.example'], provider: null })
    expect(await keeper('both.example')).toMatchObject({ provider: null })
    dns.fail('silent.example', 'SERVFAIL')
    expect(await keeper('silent.example')).toEqual({ nameServers: [], provider: null })
    // a name may have a hundred above it, each of them slow
    let asked = 0
    const slow = () => {
      asked++
      return pause(40, [])
    }
    const none = { nameServers: [], provider: null }
    expect(await dnsKeeper({ ns: slow }, `${'a.'.repeat(100)}example`, 100)).toEqual(none)
    expect(asked).toBeLessThan(4)
    expect(providerOf(['NS1.Ui-Dns.COM.', 'ns1.ui-dns.de'])?.name).toBe('IONOS')
    expect(providerOf(['ns-cloud-a1.googledomains.com'])?.name).toBe('Google Cloud DNS')
    expect(providerOf(['ns-12.awsdns-01.co.uk', 'evil-cloudflare.com.example'])?.name).toBe('Amazon Route 53')
  })

  it('may have the sender of the project while they are checked, and send once they are verified', async () => {
    const { id: projectId } = await own()
    const from = 'hello@soon.example'
    const change = () => test.ask('PATCH', `/projects/${projectId}`, { json: { from } })
    expect(await change()).toMatchObject({ status: 403, body: { error: { code: 'DOMAIN_NOT_VERIFIED' } } })
    const { body } = await test.ask('POST', '/domains', { json: { domain: 'soon.example' } })
    expect(await change()).toMatchObject({ status: 200 })
    // drafts are written meanwhile, and what is sent is checked
    const draft = { name: 'C', subject: 'S', body: '<p>B</p>', audienceType: 'ALL' }
    const campaign = await test.ask('POST', '/campaigns', { json: { ...draft, from, variants: [{ from }] } })
    expect(campaign.status, campaign.text).toBe(201)
    const elsewhere = await test.ask('POST', '/campaigns', { json: { ...draft, from: 'a@example.com' } })
    const path = `/campaigns/${elsewhere.body.data.id}`
    expect((await test.ask('PATCH', path, { json: { from } })).body.from).toBe(from)
    expect((await test.ask('PATCH', path, { json: { from: 'a@foreign.example' } })).status).toBe(403)
    const template = { name: 'T', subject: 'S', body: '<p>B</p>', type: 'MARKETING' }
    expect((await test.ask('POST', '/templates', { json: { ...template, from } })).status).toBe(201)
    await test.ask('POST', '/contacts', { json: { email: 'reader@example.org' } })
    for (const { id } of [campaign.body.data, elsewhere.body.data])
      for (const [asked, json] of [
        ['send', {}],
        ['send', { scheduledFor: '2099-01-01T00:00:00Z' }],
        ['test', { email: 'a@example.org' }],
      ] as const)
        expectEnvelope(await test.ask('POST', `/campaigns/${id}/${asked}`, { json }), 403, 'DOMAIN_NOT_VERIFIED')
    expect((await send('soon.example')).status).toBe(403)
    publish(keysOf(body)[0]!)
    await verify(body.id)
    expect((await send('soon.example')).status).toBe(200)
    await test.ask('PATCH', `/projects/${projectId}`, { json: { from: null } })
  })

  it('that the operator vouches for may send before their records are there, and say so', async () => {
    const { body } = await add('example.com')
    expect(body).toMatchObject({ verified: true, status: 'PENDING' })
    expect(await verify(body.id)).toMatchObject({ verified: true, status: 'PENDING' })
    expect((await send('example.com')).status).toBe(200)
    expect((await test.ask('DELETE', `/domains/${body.id}`)).status).toBe(204)
  })

  it('once the key is seen, send mail whose signature independent software accepts', async () => {
    const domain = await verified('acme.example')
    expect(domain).toMatchObject({ verified: true, status: 'VERIFIED', lastCheckedAt: '2026-05-01T12:00:00.000Z' })
    const [key] = keysOf(domain)
    const adviceCodes = [{ code: 'dkim_found', params: {} }]
    expect(key).toMatchObject({ status: 'VERIFIED', advice: 'The key is in place.', adviceCodes })
    const [selector] = key!.name.split('.')
    expect(await signatures('acme.example')).toEqual([`pass acme.example ${selector}`])
    // its name alone is verified, not those below or above it
    expectEnvelope(await send('sub.acme.example'), 403, 'DOMAIN_NOT_VERIFIED')
    const template = { name: 'T', subject: 'S', body: '<p>B</p>', type: 'TRANSACTIONAL', from: 'me@acme.example' }
    expect((await test.ask('POST', '/templates', { json: template })).status).toBe(201)
    const campaign = { name: 'C', subject: 'S', body: '<p>B</p>', from: 'me@acme.example', audienceType: 'ALL' }
    expect((await test.ask('POST', '/campaigns', { json: campaign })).status).toBe(201)
    expectEnvelope(
      await test.ask('POST', '/campaigns', { json: campaign, key: OTHER_SECRET }),
      403,
      'DOMAIN_NOT_VERIFIED',
    )
  })

  it('are checked in the background', async () => {
    const { body } = await add('background.example')
    publish(keysOf(body)[0]!)
    const record = async () => {
      const { body: listed } = await test.ask('GET', `/domains/project/${body.projectId}`)
      return listed.find(({ id }: { id: string }) => id === body.id)
    }
    await until('the domain is verified', async () => (await record()).verified)
  })

  it('are checked whatever octets their records hold, and advice stays short', async () => {
    const hostile = {
      'nul.example': () => dns.set('nul.example', 'TXT', ['spf\0']),
      'half.example': () => dns.set('half.example', 'TXT', [`spf${'a'.repeat(56)}\u{1f600}`]),
      'long.example': () => dns.set('_dmarc.long.example', 'TXT', [`v=DMARC1; p=${'x'.repeat(50_000)}`]),
    }
    for (const [domain, publishHostile] of Object.entries(hostile)) {
      publishHostile()
      const seen = await verified(domain)
      expect(seen).toMatchObject({ verified: true })
      const advice = seen.records.find(({ status }: Rec) => status === 'FAILED').advice
      expect(advice).toMatch(/^[^\p{Cc}\p{Cs}]{40,2001}$/u)
      const { adviceCodes } = seen.records.find(({ status }: Rec) => status === 'FAILED')
      for (const value of Object.values(adviceCodes[0].params))
        expect(String(value)).toMatch(/^[^\p{Cc}\p{Cs}]{1,2001}$/u)
    }
  })

  it('of many, those with silent name servers keep nobody waiting', async () => {
    const made = await Promise.all(Array.from({ length: 3 }, (_, i) => add(`silent${i}.example`)))
    for (const { body } of made) for (const { name } of body.records) dns.fail(name, 'drop')
    const quick = await add('quick.example')
    publish(keysOf(quick.body)[0]!)
    await until('the quick one is verified', async () => {
      const { body } = await test.ask('GET', `/domains/project/${quick.body.projectId}`)
      return body.find(({ domain }: { domain: string }) => domain === 'quick.example').verified
    })
  })

  it('fall back after three failed checks in a row that lie minutes apart, and look-ups without answer count neither way', async () => {
    const { id, records } = await verified('falling.example')
    const [key] = keysOf({ records })
    const later = (asked: string) => {
      time += 4 * 60_000
      return verify(asked)
    }
    dns.set(key!.name, 'TXT', [])
    expect(await later(id)).toMatchObject({ verified: true })
    dns.fail(key!.name, 'SERVFAIL')
    for (let i = 0; i < 4; i++) expect(await verify(id)).toMatchObject({ verified: true })
    dns.set(key!.name, 'TXT', [])
    expect(await verify(id)).toMatchObject({ verified: true })
    publish(key!)
    // one that is seen ends the row
    expect(await verify(id)).toMatchObject({ verified: true })
    dns.set(key!.name, 'TXT', ['v=DKIM1; p='])
    // looking again and again takes nothing away
    for (let i = 0; i < 5; i++) expect(await verify(id)).toMatchObject({ verified: true })
    time += 3 * 60_000
    expect(await verify(id)).toMatchObject({ verified: true })
    const seen = [await later(id), await later(id), await verify(id)]
    expect(seen.map(({ status }) => status)).toEqual(['VERIFIED', 'FAILED', 'FAILED'])
    expect(keysOf(seen[2])[0]).toMatchObject({ status: 'FAILED', advice: expect.stringContaining('empty p=') })
    expectEnvelope(await send('falling.example'), 403, 'DOMAIN_NOT_VERIFIED')
    const notices = () => test.lines.filter(({ message }) => message === 'a domain is no longer verified')
    expect(notices()).toHaveLength(1)
    // another one of the project on the same day is told of, too, and each once
    const other = await verified('falling-too.example')
    dns.set(keysOf(other)[0]!.name, 'TXT', [])
    for (let i = 0; i < 2; i++) await later(other.id)
    expect(await later(other.id)).toMatchObject({ status: 'FAILED' })
    expect(notices().map(({ fields }) => fields?.domain)).toEqual(['falling.example', 'falling-too.example'])
    publish(key!)
    expect(await verify(id)).toMatchObject({ verified: true, status: 'VERIFIED' })
    dns.set(key!.name, 'TXT', [])
    for (let i = 0; i < 2; i++) await later(id)
    expect(await later(id)).toMatchObject({ status: 'FAILED' })
    expect(notices()).toHaveLength(2)
    publish(key!)
    expect(await verify(id)).toMatchObject({ verified: true })
    sink.clear()
    expect((await send('falling.example')).status).toBe(200)
    await sink.waitFor(1)
  })

  it('get a new key without a gap: the one before signs until the new record is seen', async () => {
    const { id, records } = await verified('rotate.example')
    const [before] = keysOf({ records })
    const rotated = (await test.ask('POST', `/domains/${id}/rotate`)).body
    const [next, current] = keysOf(rotated)
    expect(current).toMatchObject({ name: before!.name, required: true })
    expect(next).toMatchObject({ status: 'PENDING', required: true, advice: expect.stringContaining('new key') })
    expect(rotated.verified).toBe(true)
    // asked again nothing is made anew
    expect(keysOf((await test.ask('POST', `/domains/${id}/rotate`)).body).map(({ name }) => name)).toEqual([
      next!.name,
      before!.name,
    ])
    expect(keysOf(await verify(id))[0]).toMatchObject({ status: 'PENDING' })
    const [oldSelector, newSelector] = [before!.name.split('.')[0], next!.name.split('.')[0]]
    expect(await signatures('rotate.example')).toEqual([`pass rotate.example ${oldSelector}`])
    publish(next!)
    const after = await verify(id)
    expect(keysOf(after).map(({ required, status }) => ({ required, status }))).toEqual([
      { required: true, status: 'VERIFIED' },
      { required: false, status: 'VERIFIED' },
    ])
    expect(keysOf(after)[1]!.advice).toContain('may be removed after 2026-05-08')
    expect(await signatures('rotate.example')).toEqual([`pass rotate.example ${newSelector}`])
    time += 7 * DAY_MS + 1000
    dns.set(before!.name, 'TXT', [])
    expect(keysOf(await verify(id)).map(({ name }) => name)).toEqual([next!.name])
    expect(await verify(id)).toMatchObject({ verified: true })
  })

  it('belong to one project: 409 for others until an unproven claim lapses, and others see nothing', async () => {
    const { body: mine } = await add('claimed.example')
    const proven = await verified('proven.example')
    expectEnvelope(await add('CLAIMED.example'), 409, 'CONFLICT')
    expectEnvelope(await add('claimed.example', OTHER_SECRET), 409, 'CONFLICT')
    const other = { key: OTHER_SECRET }
    for (const [method, path] of [
      ['GET', `/domains/${mine.id}/verify`],
      ['POST', `/domains/${mine.id}/verify`],
      ['POST', `/domains/${mine.id}/rotate`],
      ['DELETE', `/domains/${mine.id}`],
      ['GET', '/domains/nonsense/verify'],
    ] as const) {
      expectEnvelope(await test.ask(method, path, other), 404, 'DOMAIN_NOT_FOUND')
    }
    expectEnvelope(await test.ask('GET', `/domains/project/${mine.projectId}`, other), 404, 'PROJECT_NOT_FOUND')
    const foreign = { domain: 'x.example', projectId: mine.projectId }
    expectEnvelope(await test.ask('POST', '/domains', { json: foreign, ...other }), 404, 'PROJECT_NOT_FOUND')
    time += 72 * 3_600_000 + 1000
    expectEnvelope(await add('proven.example', OTHER_SECRET), 409, 'CONFLICT')
    const taken = await add('claimed.example', OTHER_SECRET)
    expect(taken.status).toBe(201)
    expect(keysOf(taken.body)[0]!.value).not.toBe(keysOf(mine)[0]!.value)
    expectEnvelope(await test.ask('GET', `/domains/${mine.id}/verify`), 404, 'DOMAIN_NOT_FOUND')
    expect(proven.verified).toBe(true)
  })

  it('have bounces come in at a name of their own, once its CNAME is seen', async () => {
    const { id } = await verified('returns.example')
    const from = async () => {
      sink.clear()
      expect((await send('returns.example')).status).toBe(200)
      return (await sink.waitFor(1))[0]!.from
    }
    expect(await from()).toBe('hello@returns.example')
    dns.set('bounces.returns.example', 'CNAME', ['bounces.operator.example'])
    await verify(id)
    // receivers would find no SPF record for it
    expect(await from()).toBe('hello@returns.example')
    dns.set('bounces.operator.example', 'TXT', ['v=spf1 ip4:192.0.2.1 -all'])
    await verify(id)
    expect(await from()).toMatch(/^b\+[0-9a-f]{52}@bounces\.returns\.example$/)
    dns.set('bounces.returns.example', 'CNAME', ['elsewhere.example'])
    await verify(id)
    expect(await from()).toBe('hello@returns.example')
  })

  it('are removed with their keys', async () => {
    const { id } = await verified('gone.example')
    sink.clear()
    expect((await send('gone.example')).status).toBe(200)
    await sink.waitFor(1)
    expect((await test.ask('DELETE', `/domains/${id}`)).status).toBe(204)
    expectEnvelope(await test.ask('DELETE', `/domains/${id}`), 404, 'DOMAIN_NOT_FOUND')
    expectEnvelope(await send('gone.example'), 403, 'DOMAIN_NOT_VERIFIED')
  })

  it('in other scripts are stored as addresses have them and published in ASCII', async () => {
    const domain = await verified('xn--mnchen-3ya.example')
    expect(domain).toMatchObject({ domain: 'münchen.example', verified: true })
    expect(keysOf(domain)[0]!.name).toMatch(/\._domainkey\.xn--mnchen-3ya\.example$/)
    expect((await signatures('münchen.example'))[0]).toMatch(/^pass xn--mnchen-3ya\.example /)
    expectEnvelope(await add('MÜNCHEN.example'), 409, 'CONFLICT')
  })

  it('are refused when nobody can own them', async () => {
    const bad = [
      ...['acme', 'localhost', 'a.localhost', 'co.uk', 'com', '192.0.2.1', '[::1]', '*.acme.example', 'acme.example.'],
      ...[
        '-a.example',
        'a..example',
        'a b.example',
        'me@acme.example',
        'https://acme.example',
        '',
        '_dmarc.acme.example',
      ],
      ...[`${'a'.repeat(64)}.example`, `${'a.'.repeat(126)}ee`, 'x'.repeat(100_000), 'pаypal.example'],
    ]
    for (const domain of bad) expectEnvelope(await add(domain), 422, 'VALIDATION_ERROR', { domain: expect.any(String) })
    expectEnvelope(await add(undefined), 422, 'VALIDATION_ERROR', { domain: 'required' })
    expectEnvelope(await add(7), 422, 'VALIDATION_ERROR', { domain: 'invalid_type' })
    expectEnvelope(await add('ok.example', PUBLIC), 403, 'FORBIDDEN')
    expectEnvelope(await add('ok.example', DISABLED_SECRET), 403, 'PROJECT_DISABLED')
  })
})

for (const store of [QUICK]) {
  it(`a domain is not removed while a campaign is being sent from it, and a paused one asks again, on ${store.name}`, async () => {
    const dns = await startDnsServer()
    onTestFinished(() => dns.close())
    // it is not started, so that the campaign stays as it is
    const { ask } = await testApp(store, {}, { dns: nodeDns({ servers: [dns.address] }) })
    const { body } = await ask('POST', '/domains', { json: { domain: 'acme.example' } })
    dns.set(body.records[0].name, 'TXT', [body.records[0].value])
    expect((await ask('POST', `/domains/${body.id}/verify`)).body.verified).toBe(true)
    await ask('POST', '/contacts', { json: { email: 'reader@example.org' } })
    const json = { name: 'C', subject: 'S', body: '<p>B</p>', from: 'me@acme.example', audienceType: 'ALL' }
    const campaign = `/campaigns/${(await ask('POST', '/campaigns', { json })).body.data.id}`
    expect((await ask('POST', `${campaign}/send`)).status).toBe(200)
    expectEnvelope(await ask('DELETE', `/domains/${body.id}`), 409, 'CONFLICT')
    expect((await ask('POST', `${campaign}/pause`)).status).toBe(200)
    expect((await ask('DELETE', `/domains/${body.id}`)).status).toBe(204)
    expectEnvelope(await ask('POST', `${campaign}/send`), 403, 'DOMAIN_NOT_VERIFIED')
  })
}
