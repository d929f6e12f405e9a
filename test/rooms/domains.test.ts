import { describe, expect, it } from 'vitest'
import { judgeDmarc } from '../../core/domains/dmarc.ts'
import { judgeSpf } from '../../core/domains/spf.ts'
import { wantedRecords } from '../../core/domains/wanted-records.ts'
import { Sealing } from '../../core/mail/dkim/sealing.ts'
import type { DnsResolver } from '../../core/ports/dns-resolver.ts'
import { kitOf } from '../support/kit.ts'

/** A DNS of TXT records; names it is not told of do not exist, `fails` do not answer. */
function dns(records: Readonly<Record<string, readonly string[]>>, fails: readonly string[] = []) {
  const asked: string[] = []
  const none = async () => []
  const txt = async (name: string) => {
    asked.push(name)
    if (fails.includes(name)) throw new Error('SERVFAIL')
    return records[name] ?? []
  }
  const resolver: DnsResolver = { txt, mx: none, ns: none, cname: none, ipv4: none, ipv6: none, ptr: none }
  return { resolver, asked }
}

describe('reports at the host of the server', () => {
  const recordsOf = (domains: object, domain = 'acme.example') =>
    wantedRecords(domain, kitOf(() => new Date(), { domains }).settings, {})
  const host = { inboundHost: 'mx.host.example', dmarcReports: 'dmarc@mx.host.example' }
  const of = (purpose: string, records: ReturnType<typeof recordsOf>) =>
    records.find((each) => each.purpose === purpose)

  it('need its agreement where it belongs to another organisation, and TLS reports go there, too', async () => {
    const records = recordsOf(host)
    expect(of('dmarc', records)?.value).toBe('v=DMARC1; p=none; rua=mailto:dmarc@mx.host.example')
    expect(of('tls-reports', records)?.value).toBe('v=TLSRPTv1; rua=mailto:tlsrpt@mx.host.example')
    const agreement = of('dmarc-reports', records)!
    const name = 'acme.example._report._dmarc.mx.host.example'
    expect(agreement).toMatchObject({ type: 'TXT', name, value: 'v=DMARC1' })
    expect(await agreement.judge(dns({}).resolver)).toMatchObject({ state: 'missing' })
    expect(await agreement.judge(dns({ [name]: ['v=DMARC1;'] }).resolver)).toMatchObject({ state: 'found' })
    expect(await agreement.judge(dns({ [name]: ['v=DMARC12'] }).resolver)).toMatchObject({ state: 'missing' })
    expect(of('dmarc-reports', recordsOf(host, 'news.host.example'))).toBeUndefined()
    expect(of('dmarc-reports', recordsOf({ inboundHost: 'mx.host.example' }))).toBeUndefined()
    // the DNS has international domains in ASCII
    const inLetters = recordsOf({ inboundHost: 'mx.xn--kse-qla.example', dmarcReports: 'dmarc@mx.käse.example' })
    expect(of('tls-reports', inLetters)?.value).toBe('v=TLSRPTv1; rua=mailto:tlsrpt@mx.xn--kse-qla.example')
  })

  it('come here by whichever of its addresses a record names', async () => {
    const named = async (rua: string) => {
      const texts = { '_dmarc.acme.example': [`v=DMARC1; p=none; rua=mailto:${rua}`] }
      const found = await of('dmarc', recordsOf(host))?.judge(dns(texts).resolver)
      return found?.adviceCodes?.map(({ code }) => code)
    }
    const other = recordsOf({ inboundHost: 'mx.host.example' })
    expect(await named('dmarc@mx.host.example')).toEqual(['dmarc_found'])
    expect(await named('x@service.example')).toEqual(['dmarc_found', 'dmarc_reports_elsewhere'])
    const tls = { '_smtp._tls.acme.example': ['v=TLSRPTv1; rua=mailto:tlsrpt@mx.host.example'] }
    expect((await of('tls-reports', other)?.judge(dns(tls).resolver))?.adviceCodes).toMatchObject([
      { code: 'tls_reports_found' },
    ])
  })
})

describe('SPF', () => {
  const spf = (
    texts: readonly string[],
    wanted: readonly string[] = [],
    more: Record<string, readonly string[]> = {},
  ) => judgeSpf('a.example', wanted, 'v=spf1 include:ours.example ~all', dns({ 'a.example': texts, ...more }).resolver)
  const ten = Array.from({ length: 10 }, (_, i) => `a:h${i}.example`).join(' ')
  const many = `${ten} a:h10.example`
  const theirs = {
    'theirs.example': ['v=spf1 include:ours.example -all'],
    'ours.example': ['v=spf1 ip4:192.0.2.1 -all'],
  }

  it.each<[string, readonly string[], readonly string[], Record<string, readonly string[]>, string, string]>([
    ['none', ['other'], ['include:ours.example'], {}, 'missing', 'publish "v=spf1 include:ours.example ~all"'],
    ['one with ours', ['v=spf1 include:ours.example -all'], ['include:ours.example'], theirs, 'found', '1 of 10'],
    ['ours further down', ['v=spf1 include:theirs.example -all'], ['include:ours.example'], theirs, 'found', '2 of 10'],
    [
      ...['one without ours', ['v=spf1 ip4:192.0.2.9 -all'], ['include:ours.example'], theirs, 'wrong'],
      'change it to "v=spf1 ip4:192.0.2.9 include:ours.example -all"',
    ] as never,
    ['any, where nothing is wanted', ['v=spf1 ip4:192.0.2.9 -all'], [], {}, 'found', 'is valid; make sure'],
    [
      'two',
      ['v=spf1 mx -all', 'v=spf1 a ~all'],
      ['include:o'],
      {},
      'wrong',
      'merge them into one, "v=spf1 mx a include:o ~all"',
    ],
    ['as many look-ups as may be', [`v=spf1 ${ten} -all`], [], {}, 'found', '10 of 10'],
    ['too many look-ups', [`v=spf1 ${many} -all`], [], {}, 'wrong', 'takes 11 look-ups'],
    [
      'a loop',
      ['v=spf1 include:b.example -all'],
      [],
      { 'b.example': ['v=spf1 include:a.example -all'] },
      'wrong',
      'again',
    ],
    [
      'an include of nothing',
      ['v=spf1 include:no.example -all'],
      [],
      {},
      'wrong',
      'includes no.example, which has none',
    ],
    [
      'ours, not there',
      ['v=spf1 include:ours.example -all'],
      ['include:ours.example'],
      {},
      'wrong',
      'Ask the operator',
    ],
    ['a mistake', ['v=spf1 inlcude:no.example -all'], [], {}, 'wrong', 'is not valid and counts as an error'],
    ['everybody', ['v=spf1 +all'], [], {}, 'wrong', 'lets anyone send'],
    // receivers stop at `all`
    [
      'ours behind the end',
      ['v=spf1 -all include:ours.example'],
      ['include:ours.example'],
      theirs,
      'wrong',
      'change it to "v=spf1 include:ours.example -all"',
    ],
    ['a redirect beside all', ['v=spf1 mx ~all redirect=no.example'], [], {}, 'found', '1 of 10'],
    [
      'everybody, further down',
      ['v=spf1 include:b.example -all'],
      [],
      { 'b.example': ['v=spf1 mx +all'] },
      'wrong',
      'includes b.example, which has +all',
    ],
    [
      'two, further down',
      ['v=spf1 include:b.example -all'],
      [],
      { 'b.example': ['v=spf1 mx -all', 'v=spf1 -all'] },
      'wrong',
      'includes b.example, which has 2 of them',
    ],
    ['no address', ['v=spf1 ip4:192.0.2.1 ip4:192.0.2.256 -all'], [], {}, 'wrong', 'has "ip4:192.0.2.256"'],
    ['no network', ['v=spf1 ip4:192.0.2.0/33 -all'], [], {}, 'wrong', 'has "ip4:192.0.2.0/33"'],
    ['addresses', ['v=spf1 ip4:192.0.2.0/24 ip6:2001:db8::1 ip6:2001:db8::/32 -all'], [], {}, 'found', '0 of 10'],
    ['no space', ['v=spf1include:x -all'], [], {}, 'wrong', 'must begin with "v=spf1 "'],
  ])('%s', async (_, texts, wanted, more, state, advice) => {
    expect(await spf(texts, wanted, more)).toMatchObject({ state, advice: expect.stringContaining(advice) })
  })

  it('does not follow a hostile tree for ever', async () => {
    const tree: Record<string, readonly string[]> = {}
    for (let i = 0; i < 500; i++)
      tree[`n${i}.example`] = [`v=spf1 include:n${2 * i + 1}.example include:n${2 * i + 2}.example -all`]
    const { resolver, asked } = dns({ ...tree, 'a.example': ['v=spf1 include:n0.example -all'] })
    expect(await judgeSpf('a.example', [], '', resolver)).toMatchObject({ state: 'wrong' })
    expect(asked.length).toBeLessThan(60)
  })
})

describe('DMARC', () => {
  const dmarc = (records: Record<string, readonly string[]>, domain = 'mail.shop.acme.example') =>
    judgeDmarc(domain, 'v=DMARC1; p=none', dns(records).resolver)

  it.each<[string, Record<string, readonly string[]>, string, string]>([
    ['none', {}, 'missing', 'publish "v=DMARC1; p=none"'],
    ['its own', { '_dmarc.mail.shop.acme.example': ['v=DMARC1; p=reject'] }, 'found', 'policy reject'],
    [
      'that of the organisation',
      { '_dmarc.acme.example': ['v=DMARC1; p=reject; sp=quarantine'] },
      'found',
      'The record of acme.example applies, with the policy quarantine',
    ],
    [
      'the highest of several',
      { '_dmarc.acme.example': ['v=DMARC1; p=reject'], '_dmarc.shop.acme.example': ['v=DMARC1; p=none'] },
      'found',
      'acme.example applies, with the policy reject',
    ],
    [
      'an organisation below another',
      { '_dmarc.acme.example': ['v=DMARC1; p=reject'], '_dmarc.shop.acme.example': ['v=DMARC1; p=none; psd=n'] },
      'found',
      'The record of shop.acme.example applies',
    ],
    [
      'a suffix, where nobody else has one',
      { '_dmarc.example': ['v=DMARC1; p=reject; psd=y'] },
      'found',
      'The record of example applies',
    ],
    [
      'a suffix, where the organisation has one',
      { '_dmarc.example': ['v=DMARC1; p=reject; psd=y'], '_dmarc.acme.example': ['v=DMARC1; p=none'] },
      'found',
      'The record of acme.example applies',
    ],
    // the organisation is one label below the suffix, and has none
    [
      'a suffix, where only a department has one',
      { '_dmarc.example': ['v=DMARC1; p=reject; psd=y'], '_dmarc.shop.acme.example': ['v=DMARC1; p=none'] },
      'found',
      'The record of example applies, with the policy reject',
    ],
    [
      'a wrong word for those below',
      { '_dmarc.mail.shop.acme.example': ['v=DMARC1; p=none; sp=block'] },
      'wrong',
      'has sp=block',
    ],
    [
      'what is gone',
      { '_dmarc.mail.shop.acme.example': ['v=DMARC1; p=reject; pct=50; ri=1'] },
      'found',
      'It has pct=, ri=, which no longer means anything',
    ],
    [
      'two',
      { '_dmarc.mail.shop.acme.example': ['v=DMARC1; p=none', 'v=DMARC1; p=reject'] },
      'wrong',
      'There are 2 DMARC records',
    ],
    [
      'a wrong word',
      { '_dmarc.mail.shop.acme.example': ['v=DMARC1; p=block'] },
      'wrong',
      'must be none, quarantine or reject',
    ],
    [
      'a wrong beginning',
      { '_dmarc.mail.shop.acme.example': ['DMARC1; p=none'] },
      'wrong',
      'must begin with "v=DMARC1;"',
    ],
  ])('%s', async (_, records, state, advice) => {
    expect(await dmarc(records)).toMatchObject({ state, advice: expect.stringContaining(advice) })
  })

  it('asks at most eight names, however long the domain is', async () => {
    const { resolver, asked } = dns({})
    await judgeDmarc(`${'a.'.repeat(40)}example`, 'x', resolver)
    expect(asked).toHaveLength(8)
    expect(asked.at(-1)).toBe('_dmarc.example')
  })
})

describe('sealed keys', () => {
  it('open with the same secret or the one before it, for their owner, and not when they were changed', async () => {
    const sealed = new Sealing('a secret of the first time', async () => 'x').seal('the key', 'me')
    const open = (secret: string, before: string, owner = 'me', text = sealed) =>
      new Sealing(secret, async () => before).open(text, owner)
    expect(await open('a secret of the first time', 'x')).toBe('the key')
    expect(await open('another', 'a secret of the first time')).toBe('the key')
    expect(await open('another', 'x')).toBeUndefined()
    expect(await open('a secret of the first time', 'x', 'you')).toBeUndefined()
    const changed = `${sealed.slice(0, 30)}${sealed[30] === 'A' ? 'B' : 'A'}${sealed.slice(31)}`
    for (const text of [changed, sealed.slice(0, 20), '', 'v2:AAAA']) {
      expect(await open('a secret of the first time', 'x', 'me', text)).toBeUndefined()
    }
    expect(sealed).not.toContain(Buffer.from('the key').toString('base64').slice(0, 6))
  })
})
