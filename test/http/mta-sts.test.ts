import { beforeAll, describe, expect, it } from 'vitest'
import { nodeDns } from '../../plugins/dns-node/index.ts'
import { expectEnvelope, type TestApp, testApp } from '../support/app.ts'
import { fileForm } from '../support/contact-jobs.ts'
import { type DnsServer, startDnsServer } from '../support/dns-server.ts'
import { STRICT } from '../support/matrix.ts'
import { tlsJson } from '../support/reports.ts'

const mx = (...hosts: readonly string[]) => hosts.map((exchange, i) => ({ exchange, priority: 10 * i }))
/** A record to publish, as the API shows it. */
type Shown = Readonly<Record<'name' | 'status' | 'value' | 'advice', string>>

const PUBLIC = 'mail.operator.example'

describe(`the MTA-STS policy of a domain on ${STRICT.name}`, () => {
  let test: TestApp
  let dns: DnsServer
  let id = ''

  beforeAll(async () => {
    dns = await startDnsServer({
      [PUBLIC]: { A: ['192.0.2.7'] },
      'acme.example': { MX: mx('MX1.acme.example', 'mx.backup.example') },
    })
    test = await testApp(
      STRICT,
      {},
      {
        dns: nodeDns({ servers: [dns.address], timeoutMs: 300, tries: 1, cacheEntries: 0 }),
        ...{ publicUrl: `https://${PUBLIC}`, domains: { returnPathHost: 'bounces.operator.example' } },
      },
    )
    await test.engine.start()
    const { body } = await test.ask('POST', '/domains', { json: { domain: 'acme.example' } })
    id = body.id
    const key = body.records.find(({ purpose }: { purpose: string }) => purpose === 'dkim')
    dns.set(key.name, 'TXT', [key.value])
    return () => dns.close()
  })

  const set = (mtaSts: unknown, of = id) => test.ask('PATCH', `/domains/${of}`, { json: { mtaSts } })
  const served = async (host: string) => {
    const answer = await test.app.fetch(new Request('http://x/.well-known/mta-sts.txt', { headers: { host } }))
    return [answer.status, answer.headers.get('content-type'), await answer.text()] as const
  }
  const mayHaveCertificate = async () =>
    (await test.ask('GET', '/link-host?domain=mta-sts.acme.example', { key: null })).status
  const records = async (): Promise<readonly Shown[]> => (await test.ask('GET', `/domains/${id}/verify`)).body.records
  const record = async (name: string) => (await records()).find((each) => each.name === `${name}.acme.example`)

  it('names the mail exchangers of the DNS, and is served at its host once the domain is proven', async () => {
    expect((await set({ mode: 'testing' })).body.mtaSts).toEqual({
      ...{ mode: 'testing', mx: ['mx1.acme.example', 'mx.backup.example'], maxAge: 604_800 },
    })
    expect((await served('mta-sts.acme.example'))[0], 'a claim proves nothing').toBe(404)
    await records()
    const { updatedAt } = (await test.ask('GET', `/domains/${id}/verify`)).body
    expect((await set({ mode: 'testing' })).body.updatedAt, 'the same again changes nothing').toBe(updatedAt)
    const [status, type, text] = await served('MTA-STS.acme.example:8443')
    expect([status, type]).toEqual([200, 'text/plain; charset=utf-8'])
    expect(text).toBe(
      'version: STSv1\r\nmode: testing\r\nmx: mx1.acme.example\r\nmx: mx.backup.example\r\nmax_age: 604800\r\n',
    )
    for (const host of ['acme.example', 'mta-sts.other.example', 'x.mta-sts.acme.example', PUBLIC, ''])
      expect((await served(host))[0], host).toBe(404)
  })

  it('has records to publish, of which one changes with the policy', async () => {
    expect(await record('_smtp._tls')).toMatchObject({ value: 'v=TLSRPTv1; rua=mailto:tlsrpt@bounces.acme.example' })
    expect(await record('mta-sts')).toMatchObject({ value: PUBLIC, status: 'PENDING' })
    expect(await mayHaveCertificate()).toBe(404)
    dns.set('mta-sts.acme.example', 'CNAME', [PUBLIC])
    const { value = '', status = '' } = (await record('_mta-sts')) ?? ({} as Partial<Shown>)
    expect(value).toMatch(/^v=STSv1; id=[a-z0-9]{20};$/)
    expect(status).toBe('PENDING')
    dns.set('_mta-sts.acme.example', 'TXT', [value])
    expect(await record('_mta-sts')).toMatchObject({ status: 'VERIFIED' })
    expect((await record('mta-sts'))?.status).toBe('VERIFIED')
    expect(await mayHaveCertificate()).toBe(200)
    await set({ mode: 'enforce', mx: ['*.ACME.example', 'mx.backup.example'], maxAge: 86_400 })
    const changed = await record('_mta-sts')
    expect(changed).toMatchObject({ status: 'FAILED', advice: expect.stringContaining(changed?.value ?? '?') })
    expect(changed?.value).not.toBe(value)
    dns.set('_mta-sts.acme.example', 'TXT', [changed?.value ?? ''])
    expect((await record('_mta-sts'))?.status).toBe('VERIFIED')
    // a star stands for one label
    dns.set('acme.example', 'MX', mx('mx1.acme.example', 'a.mx2.acme.example', 'mx.backup.example'))
    expect(await record('_mta-sts')).toMatchObject({
      ...{ status: 'FAILED', advice: expect.stringContaining('does not name a.mx2.acme.example:') },
    })
  })

  it('is judged by TLS reports', async () => {
    const tls = async () => (await test.ask('GET', `/domains/${id}/reports/summary`)).body.tls
    const code = async () => {
      await records()
      return (await tls()).adviceCodes[0].code
    }
    expect(await code(), 'a mail exchanger is left out').toBe('sts_not_in_place')
    dns.set('acme.example', 'MX', mx('mx1.acme.example'))
    expect(await code()).toBe('sts_at_enforce')
    dns.set('mta-sts.acme.example', 'CNAME', [])
    expect(await code(), 'no sender can read the policy').toBe('sts_not_in_place')
    const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
    const report = tlsJson().replaceAll('2026-04-20', day)
    const added = await test.ask('POST', `/domains/${id}/reports`, await fileForm(Buffer.from(report)))
    expect(added.body).toMatchObject({ stsSessions: 100 })
    expect((await tls()).adviceCodes).toEqual([
      { code: 'sts_failing', params: { failed: 10, hosts: 'mx.acme.example' } },
    ])
  })

  it('is refused with the field, and stays with what else is changed', async () => {
    const refusals = [
      [{ mode: 'strict' }, 'mtaSts.mode'],
      [{ mode: 'testing', mx: ['https://mx.acme.example'] }, 'mtaSts.mx.0'],
      [{ mode: 'testing', mx: ['mx.*.example'] }, 'mtaSts.mx.0'],
      [{ mode: 'testing', mx: [] }, 'mtaSts.mx'],
      [{ mode: 'testing', maxAge: 31_557_601 }, 'mtaSts.maxAge'],
      [{ mode: 'testing', maxAge: 60 }, 'mtaSts.maxAge'],
    ] as const
    for (const [given, field] of refusals) {
      const answer = await set(given)
      expectEnvelope(answer, 422, 'VALIDATION_ERROR')
      expect(answer.body.error.errors[0].field, JSON.stringify(given)).toBe(field)
    }
    const other = (await test.ask('POST', '/domains', { json: { domain: 'no-mx.example' } })).body.id
    const none = await set({ mode: 'testing' }, other)
    expectEnvelope(none, 422, 'VALIDATION_ERROR')
    expect(none.body.error.errors[0].field).toBe('mtaSts.mx')
    expect((await set({ mode: 'none' }, other)).body.mtaSts).toMatchObject({ mode: 'none', mx: [] })
    await test.ask('PATCH', `/domains/${id}`, { json: { linkHost: 'links.acme.example' } })
    const { body } = await test.ask('GET', `/domains/${id}/verify`)
    expect(body).toMatchObject({ linkHost: 'links.acme.example', mtaSts: { mode: 'enforce' } })
    expect((await set(null)).body).not.toHaveProperty('mtaSts')
    expect((await served('mta-sts.acme.example'))[0]).toBe(404)
  })
})
