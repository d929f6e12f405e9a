import { simpleParser } from 'mailparser'
import { beforeAll, describe, expect, it } from 'vitest'
import { nodeDns } from '../../plugins/dns-node/index.ts'
import { expectEnvelope, MAIL, OTHER_SECRET, SECRET, type TestApp, testApp } from '../support/app.ts'
import { type DnsServer, startDnsServer } from '../support/dns-server.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { toSink } from '../support/engine.ts'
import { QUICK } from '../support/matrix.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

// No store decides any of this: one will do, the quicker.
const store = QUICK

const PUBLIC = 'mail.operator.example'
const READER = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0' }

describe('link hosts', () => {
  let test: TestApp
  let dns: DnsServer
  let sink: SmtpSink
  let checkId: string | undefined
  // beginning an hour ago: a queue may have a clock of its own
  let ahead = -3_600_000

  beforeAll(async () => {
    ;[dns, sink] = await Promise.all([startDnsServer({ [PUBLIC]: { A: ['192.0.2.7', '192.0.2.8'] } }), startSmtpSink()])
    test = await testApp(
      store,
      {},
      {
        transports: [toSink(sink)],
        dns: nodeDns({ servers: [dns.address], timeoutMs: 150, tries: 1 }),
        clock: { now: () => new Date(Date.now() + ahead) },
        ...{ publicUrl: `https://${PUBLIC}/mail`, secret: 'a secret of sixteen characters and more' },
        domains: { returnPathHost: 'bounces.operator.example' },
      },
    )
    await test.engine.start()
  })
  atEndOfFile(() => Promise.all([dns.close(), sink.close()]))

  const verify = async (id: string) => (await test.ask('GET', `/domains/${id}/verify`)).body
  const linkOf = ({ records }: { records: { purpose: string }[] }) => records.find(({ purpose }) => purpose === 'link')
  const change = (id: string, linkHost: unknown, key = SECRET) =>
    test.ask('PATCH', `/domains/${id}`, { json: { linkHost }, key })
  const isAllowed = async (host: string) =>
    (await test.ask('GET', `/link-host?domain=${encodeURIComponent(host)}`, { key: null })).status
  /** A domain that may send, and what mail from it says. */
  async function added(domain: string, more: object = {}) {
    const { body } = await test.ask('POST', '/domains', { json: { domain, ...more } })
    const key = body.records.find(({ purpose }: { purpose: string }) => purpose === 'dkim')
    dns.set(key.name, 'TXT', [key.value])
    return body
  }
  async function mailFrom(domain: string, key = SECRET) {
    sink.clear()
    const template = { name: 'N', subject: 'N', body: '<a href="https://x.example/">x</a>', type: 'MARKETING' }
    const { body } = await test.ask('POST', '/templates', { json: { ...template, from: `hi@${domain}` }, key })
    await test.ask('POST', '/v1/send', { json: { to: MAIL.to, template: body.id, subscribed: true }, key })
    const [mail] = await sink.waitFor(1)
    const { html, headers } = await simpleParser(mail!.raw)
    const urls = [...(html || '').matchAll(/"(https:\/\/[^"]+)"/g)].map(([, url]) => url!)
    const list = headers.get('list') as unknown as { unsubscribe: { url: string } }
    const all = [...urls, list.unsubscribe.url]
    return { all, bases: [...new Set(all.map((url) => url.replace(/\/(?:t|unsubscribe|manage)\/.*/, '')))] }
  }
  const OF_OPERATOR = [`https://${PUBLIC}/mail`]

  it('are used once their record is seen, and answered', async () => {
    const made = await added('acme.example', { linkHost: ' Links.Acme.Example ' })
    expect(made).toMatchObject({ linkHost: 'links.acme.example' })
    const record = { type: 'CNAME', name: 'links.acme.example', value: PUBLIC, purpose: 'link', required: false }
    expect(linkOf(made)).toMatchObject({ ...record, status: 'PENDING' })
    expect(linkOf(await verify(made.id))).toMatchObject({
      status: 'PENDING',
      advice: expect.stringContaining('publish it'),
    })
    expect((await mailFrom('acme.example')).bases).toEqual(OF_OPERATOR)
    expect(await isAllowed('links.acme.example')).toBe(404)

    dns.set('links.acme.example', 'CNAME', [PUBLIC])
    expect(linkOf(await verify(made.id))).toMatchObject({ status: 'VERIFIED' })
    const { all, bases } = await mailFrom('acme.example')
    expect(bases).toEqual(['https://links.acme.example/mail'])
    expect(all).toHaveLength(5)
    expect([await isAllowed('links.acme.example'), await isAllowed('LINKS.acme.example.')]).toEqual([200, 404])
    for (const host of ['acme.example', 'other.acme.example', 'x', '', 'a b', '\0.acme.example']) {
      expect({ host, status: await isAllowed(host) }).toEqual({ host, status: 404 })
    }
    // as it comes from the proxy, which takes the path away
    const visit = async (part: string) => {
      const url = all.find((each) => each.includes(part))!.replace('/mail/', '/')
      return test.app.request(url, { headers: { ...READER, host: 'links.acme.example' } })
    }
    expect((await visit('/t/o/')).headers.get('content-type')).toBe('image/gif')
    expect((await visit('/t/c/')).headers.get('location')).toBe('https://x.example/')
    expect(await (await visit('/unsubscribe/')).text()).toContain('<h1>Unsubscribe</h1>')
    const [email] = (await test.ask('GET', '/emails?limit=1')).body.data
    await until('both are counted', async () => {
      const { opens, clicks } = (await test.ask('GET', `/emails/${email.id}`)).body
      return opens === 1 && clicks === 1
    })
  })

  it('are left again when the record was missing three times, not when the DNS is silent', async () => {
    const { id } = await added('fall.example', { linkHost: 'l.fall.example' })
    dns.set('l.fall.example', 'CNAME', [PUBLIC])
    await verify(id)
    const own = ['https://l.fall.example/mail']
    const checked = async () => {
      await verify(id)
      return (await mailFrom('fall.example')).bases
    }
    expect(await checked()).toEqual(own)
    dns.fail('l.fall.example', 'SERVFAIL')
    for (let i = 0; i < 3; i++) expect(await checked()).toEqual(own)
    dns.set('l.fall.example', 'CNAME', ['elsewhere.example'])
    expect(await checked()).toEqual(own)
    // looking again and again takes nothing away
    for (let i = 0; i < 3; i++) expect(await checked()).toEqual(own)
    for (let i = 0; i < 2; i++) {
      ahead += 4 * 60_000
      await verify(id)
    }
    expect((await mailFrom('fall.example')).bases).toEqual(OF_OPERATOR)
    expect(linkOf(await verify(id))).toMatchObject({
      status: 'FAILED',
      advice: expect.stringContaining('change it to'),
    })
    dns.set('l.fall.example', 'CNAME', [PUBLIC])
    expect(await checked()).toEqual(own)
  })

  it('may have the same addresses where no CNAME can stand', async () => {
    const { id } = await added('apex.example', { linkHost: 'www.apex.example' })
    dns.set('www.apex.example', 'A', ['192.0.2.8', '192.0.2.9'])
    expect(linkOf(await verify(id))).toMatchObject({
      status: 'FAILED',
      advice: expect.stringMatching(/MX.*the addresses of mail\.operator\.example \(192\.0\.2\.7, 192\.0\.2\.8\)/),
    })
    dns.set('www.apex.example', 'A', ['192.0.2.8'])
    expect(linkOf(await verify(id))).toMatchObject({ status: 'VERIFIED' })
    expect((await mailFrom('apex.example')).bases).toEqual(['https://www.apex.example/mail'])
  })

  it('are the project’s own, and changed and taken away by it alone', async () => {
    const { id } = await added('example.com', { linkHost: 'a.example.com' })
    dns.set('a.example.com', 'CNAME', [PUBLIC])
    await verify(id)
    expect((await mailFrom('example.com')).bases).toEqual(['https://a.example.com/mail'])
    // the operator lets another project send from the domain, too
    expect((await mailFrom('example.com', OTHER_SECRET)).bases).toEqual(OF_OPERATOR)
    expectEnvelope(await change(id, null, OTHER_SECRET), 404, 'DOMAIN_NOT_FOUND')

    expect((await change(id, 'a.example.com')).body.records).toHaveLength(4 + 1)
    expect((await mailFrom('example.com')).bases).toEqual(['https://a.example.com/mail'])
    expect((await change(id, 'bücher.example.com')).body).toMatchObject({ linkHost: 'bücher.example.com' })
    expect((await mailFrom('example.com')).bases).toEqual(OF_OPERATOR)
    dns.set('xn--bcher-kva.example.com', 'CNAME', [PUBLIC])
    expect(linkOf(await verify(id))).toMatchObject({ name: 'xn--bcher-kva.example.com', status: 'VERIFIED' })
    expect((await mailFrom('example.com')).bases).toEqual(['https://xn--bcher-kva.example.com/mail'])
    const { body } = await change(id, null)
    expect([body.linkHost, linkOf(body)]).toEqual([undefined, undefined])
    expect((await mailFrom('example.com')).bases).toEqual(OF_OPERATOR)
    expect(await isAllowed('bücher.example.com')).toBe(404)
  })

  it.each([
    ['another domain', 'links.other.example', 'custom'],
    ['the domain itself, whose MX a CNAME would take away', 'check.example', 'custom'],
    ['a domain that ends alike', 'linksacme.test', 'custom'],
    ['the host of bounces', 'bounces.check.example', 'custom'],
    ['an address', 'https://links.check.example', 'invalid_string'],
    ['a name with a port', 'links.check.example:8080', 'invalid_string'],
    ['nothing', '', 'invalid_string'],
    ['a number', 7, 'invalid_type'],
    ['a name that is too long', `${'a.'.repeat(121)}check.example`, 'invalid_string'],
  ])('are refused when they are %s', async (_what, linkHost, code) => {
    checkId ??= (await added('check.example')).id
    const refused = [
      await change(checkId!, linkHost),
      await test.ask('POST', '/domains', { json: { domain: 'new.check.example', linkHost } }),
    ]
    for (const answer of refused) expect(answer.status).toBe(422)
    expectEnvelope(refused[0]!, 422, 'VALIDATION_ERROR', { linkHost: code })
  })
})
