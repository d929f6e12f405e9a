import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { nodeDns } from '../../plugins/dns-node/index.ts'
import { webhooksHttp } from '../../plugins/webhooks-http/index.ts'
import { expectEnvelope, OTHER_SECRET, type TestApp, testApp } from '../support/app.ts'
import { type DnsServer, startDnsServer } from '../support/dns-server.ts'
import { QUICK } from '../support/matrix.ts'

const file = (name: string) => readFileSync(new URL(`../support/${name}`, import.meta.url), 'utf8')
const svg = (inside = '', attributes = 'version="1.2" baseProfile="tiny-ps"') =>
  `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" ${attributes} viewBox="0 0 64 64"><title>Acme</title><g>${inside}</g></svg>`
const LOGOS: Readonly<Record<string, string>> = {
  '/right.svg': svg('<path d="M0 0h64v64z" fill="#0b7285"/>'),
  '/large.svg': svg(`<path d="${'M0 0'.repeat(10_000)}"/>`),
  '/page.html': '<!doctype html><title>no logo</title>',
  '/deep.svg': svg(`${'<g>'.repeat(3_000)}${'</g>'.repeat(3_000)}`),
  '/plain.svg': svg('', 'version="1.1"'),
  '/script.svg': svg('<script>alert(1)</script>'),
  '/event.svg': svg('<path onclick="alert(1)" d="M0 0"/>'),
  '/entity.svg': svg().replace('<svg', '<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]><svg'),
  '/linked.svg': svg('<use xlink:href="https://evil.example/x.svg#a" xmlns:xlink="http://www.w3.org/1999/xlink"/>'),
  '/filled.svg': svg('<path fill="url(https://evil.example/x)" d="M0 0"/>'),
  '/own.svg': svg('<path fill="url(#a)" d="M0 0"/><use href="#a"/>'),
  '/untitled.svg': svg().replace('<title>Acme</title>', ''),
  '/placed.svg': svg('', 'x="0" version="1.2" baseProfile="tiny-ps"'),
  '/wide.svg': svg().replace('0 0 64 64', '0 0 640 64'),
}

const pem = (name: string) => readFileSync(new URL(`../samples/bimi/${name}.pem`, import.meta.url), 'utf8')
const [OWN = '', ISSUER = ''] = pem('right').split(/(?<=-----END CERTIFICATE-----\n)/)
/** Certificates for the logo of acme.example, made by an authority of the tests. */
const CERTIFICATES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['right', 'other', 'useless', 'plain', 'expired'].map((name) => [`/${name}.pem`, pem(name)])),
  '/alone.pem': OWN,
  '/turned.pem': ISSUER + OWN,
  '/foreign.pem': OWN + file('localhost-cert.pem'),
  '/broken.pem': `${OWN.replace(/\nMII/, '\nAAA')}${ISSUER}`,
  '/large.pem': 'x'.repeat(130 * 1024),
  '/text.pem': 'no certificate',
}

// no store decides any of this: one will do, the quicker
describe('the logo of a domain', () => {
  let test: TestApp
  let dns: DnsServer
  let server: Server
  let base = ''
  let id = ''
  const asked: string[] = []

  beforeAll(async () => {
    dns = await startDnsServer({ 'inside.example': { A: ['127.0.0.1'] } })
    server = createServer({ key: file('localhost-key.pem'), cert: file('localhost-cert.pem') }, (request, response) => {
      asked.push(request.url ?? '')
      const logo = LOGOS[request.url ?? ''] ?? CERTIFICATES[request.url ?? '']
      if (request.url === '/moved.svg') response.writeHead(302, { location: '/right.svg' }).end()
      else if (logo === undefined) response.writeHead(404).end()
      else response.writeHead(200, { 'content-type': 'image/svg+xml' }).end(logo)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    base = `https://localhost:${(server.address() as AddressInfo).port}`
    test = await testApp(
      QUICK,
      {},
      {
        dns: nodeDns({ servers: [dns.address], timeoutMs: 300, tries: 1, cacheEntries: 0 }),
        webhookSender: webhooksHttp({ ca: file('localhost-cert.pem') }),
        egress: { allow: ['127.0.0.1/32', '::1/128'] },
      },
    )
    id = (await test.ask('POST', '/domains', { json: { domain: 'news.acme.example' } })).body.id
    return async () => {
      await new Promise((resolve) => server.close(resolve))
      await dns.close()
    }
  })

  const logo = async () => (await test.ask('GET', `/domains/${id}/bimi`)).body
  const code = async () => (await logo()).adviceCodes[0]
  const publish = (text: string, name = 'default._bimi.news.acme.example') => dns.set(name, 'TXT', [text])
  const policy = (text: string) => dns.set('_dmarc.acme.example', 'TXT', [`v=DMARC1; ${text}`])
  const logoAt = async (path: string) => {
    publish(`v=BIMI1; l=${base}${path}; a=;`)
    return code()
  }

  it('needs a record with an address under https, of the domain or of the one above it', async () => {
    expect(await logo()).toMatchObject({ name: null, record: null, isReady: false })
    expect(await code()).toEqual({
      ...{ code: 'bimi_missing', params: { domain: 'news.acme.example', name: 'default._bimi.news.acme.example' } },
    })
    publish('v=BIMI1; l=http://acme.example/logo.svg', 'default._bimi.acme.example')
    expect(await logo()).toMatchObject({ name: 'default._bimi.acme.example', logoUrl: 'http://acme.example/logo.svg' })
    expect((await code()).code).toBe('bimi_not_https')
    publish('v=BIMI1; l=; a=')
    expect((await code()).code).toBe('bimi_declined')
    dns.set('default._bimi.news.acme.example', 'TXT', ['v=BIMI1; l=https://a.example/a', 'v=BIMI1; l='])
    expect(await code()).toMatchObject({ code: 'bimi_several', params: { count: 2 } })
    expectEnvelope(await test.ask('GET', `/domains/${id}/bimi`, { key: OTHER_SECRET }), 404, 'DOMAIN_NOT_FOUND')
  })

  it('needs a DMARC policy that is strict for all mail, before anything is fetched', async () => {
    publish(`v=BIMI1; l=${base}/right.svg; a=${base}/right.pem`)
    expect((await code()).code).toBe('bimi_dmarc_missing')
    policy('p=none')
    expect(await code()).toMatchObject({ code: 'bimi_dmarc_weak', params: { policy: 'none' } })
    dns.set('_dmarc.news.acme.example', 'TXT', ['v=DMARC1; p=reject'])
    expect(await code()).toMatchObject({ code: 'bimi_dmarc_weak', params: { domain: 'acme.example' } })
    dns.set('_dmarc.news.acme.example', 'TXT', [])
    for (const [tags, tag] of [
      ['p=quarantine; pct=50', 'pct=50'],
      ['p=reject; t=y', 't=y'],
    ] as const) {
      policy(tags)
      expect(await code(), tags).toMatchObject({ code: 'bimi_dmarc_part', params: { tag } })
    }
    expect(asked).toEqual([])
    policy('p=quarantine; pct=100')
    expect(await logo()).toMatchObject({ isReady: true, certificateUrl: `${base}/right.pem` })
    expect(await code()).toMatchObject({ code: 'bimi_right' })
    expect(asked.slice(0, 2)).toEqual(['/right.svg', '/right.pem'])
  })

  it.each([
    ['/right.svg', 'bimi_without_certificate'],
    ['/own.svg', 'bimi_without_certificate'],
    ['/large.svg', 'bimi_large'],
    ['/none.svg', 'bimi_status'],
    ['/moved.svg', 'bimi_moved'],
    ['/page.html', 'bimi_svg_none'],
    ['/deep.svg', 'bimi_svg_none'],
    ['/plain.svg', 'bimi_svg_profile'],
    ['/script.svg', 'bimi_svg_left_out'],
    ['/event.svg', 'bimi_svg_left_out'],
    ['/entity.svg', 'bimi_svg_left_out'],
    ['/linked.svg', 'bimi_svg_link'],
    ['/filled.svg', 'bimi_svg_link'],
    ['/untitled.svg', 'bimi_svg_title'],
    ['/placed.svg', 'bimi_svg_place'],
    ['/wide.svg', 'bimi_svg_square'],
  ])('is an SVG Tiny PS, looked at as %s', async (path, wanted) => {
    expect((await logoAt(path)).code).toBe(wanted)
  })

  it.each([
    ['/none.pem', 'bimi_certificate_status'],
    ['/text.pem', 'bimi_certificate_none'],
    ['/large.pem', 'bimi_certificate_large'],
    ['/broken.pem', 'bimi_certificate_broken'],
    ['/expired.pem', 'bimi_certificate_expired'],
    ['/other.pem', 'bimi_certificate_names'],
    ['/useless.pem', 'bimi_certificate_use'],
    ['/plain.pem', 'bimi_certificate_logo'],
    ['/alone.pem', 'bimi_certificate_alone'],
    ['/foreign.pem', 'bimi_certificate_chain'],
    ['/turned.pem', 'bimi_certificate_nameless'],
  ])('has a certificate, looked at as %s', async (path, wanted) => {
    publish(`v=BIMI1; l=${base}/right.svg; a=${base}${path}`)
    expect(await logo()).toMatchObject({ isReady: false, adviceCodes: [{ code: wanted }] })
  })

  it('is not looked for within a private network, nor where nothing answers', async () => {
    const shut = await testApp(QUICK, {}, { dns: nodeDns({ servers: [dns.address], timeoutMs: 300, tries: 1 }) })
    const own = (await shut.ask('POST', '/domains', { json: { domain: 'acme.example' } })).body.id
    for (const url of [
      'https://inside.example/logo.svg',
      'https://127.0.0.1/logo.svg',
      'https://[::1]/',
      'https://169.254.169.254/x',
    ]) {
      publish(`v=BIMI1; l=${url}`, 'default._bimi.acme.example')
      const { adviceCodes } = (await shut.ask('GET', `/domains/${own}/bimi`)).body
      expect(adviceCodes[0], url).toEqual({ code: 'bimi_forbidden', params: { url } })
    }
    publish('v=BIMI1; l=https://localhost:1/logo.svg')
    expect((await code()).code).toBe('bimi_unreachable')
  })
})
