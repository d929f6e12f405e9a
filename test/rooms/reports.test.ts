import { crc32, deflateRawSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { lettersIn } from '../../core/accounts/letters.ts'
import type { DomainReport } from '../../core/ports/store/domain-reports.ts'
import { readReport } from '../../core/reports/read-report.ts'
import type { DmarcReport, TlsReport } from '../../core/reports/report.ts'
import { type Judged, judgeReports } from '../../core/reports/report-advice.ts'
import { alertsIn } from '../../core/reports/report-alerts.ts'
import { type ReportedSource, sendersIn } from '../../core/reports/report-sources.ts'
import { storedReport } from '../../core/reports/stored-report.ts'
import { type JudgedSts, judgeStsReports } from '../../core/reports/sts-advice.ts'
import { newId, newProjectId } from '../contracts/store/records.ts'
import { dmarcXml, reportRecord, tlsJson } from '../support/reports.ts'

const NOW = new Date('2026-05-01T12:00:00Z')
const read = async (text: string | Buffer) => (await readReport(Buffer.from(text as string))) as DmarcReport
const refusal = (given: string | Buffer) =>
  readReport(Buffer.from(given as string)).then(
    () => 'read',
    (error: { fields?: readonly { message: string }[] }) => error.fields?.[0]?.message ?? error,
  )

/** A zip of these files, deflated. */
function zipOf(...files: readonly (readonly [name: string, text: string])[]): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  for (const [name, text] of files) {
    const [packed, sum, at] = [deflateRawSync(text), crc32(text), Buffer.concat(parts).length]
    const facts = Buffer.alloc(22)
    facts.writeUInt16LE(20, 0)
    facts.writeUInt16LE(8, 4)
    facts.writeUInt32LE(sum, 10)
    facts.writeUInt32LE(packed.length, 14)
    facts.writeUInt32LE(Buffer.byteLength(text), 18)
    const lengths = Buffer.alloc(4)
    lengths.writeUInt16LE(name.length, 0)
    parts.push(Buffer.from('PK\x03\x04', 'latin1'), facts, lengths, Buffer.from(name), packed)
    const [made, place] = [Buffer.from([20, 0]), Buffer.alloc(14)]
    place.writeUInt32LE(at, 10)
    directory.push(Buffer.from('PK\x01\x02', 'latin1'), made, facts, lengths, place.subarray(0, 14), Buffer.from(name))
  }
  const [body, list] = [Buffer.concat(parts), Buffer.concat(directory)]
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(files.length, 8)
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(list.length, 12)
  end.writeUInt32LE(body.length, 16)
  return Buffer.concat([body, list, end])
}

/** The same with another byte in the middle of what is packed. */
function flipped(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  copy.fill(0xff, 40, 60)
  return copy
}

// the kinds of odd reports in public collections (parsedmarc's samples), made anew
describe('a DMARC report', () => {
  it('is read as RFC 7489 and RFC 9990 write it', async () => {
    const report = await read(dmarcXml())
    expect(report).toEqual({
      ...{ kind: 'dmarc', reporter: 'big.example', reportId: '1', domain: 'acme.example', policy: 'none' },
      ...{ begin: new Date('2026-04-20T00:00:00Z'), end: new Date('2026-04-20T23:59:59Z') },
      rows: [
        {
          ...{ ip: '192.0.2.1', messages: 3, disposition: 'none', dkim: true, spf: false, reason: '' },
          ...{ headerFrom: 'acme.example', dkimDomain: 'acme.example', dkimSelector: 's1', dkimResult: 'pass' },
          ...{ spfDomain: 'mail.example', spfResult: 'fail' },
        },
      ],
    })
    const newer = dmarcXml()
      .replace('<feedback>', '<feedback xmlns="urn:ietf:params:xml:ns:dmarc-2.0">')
      .replace('<disposition>none', '<disposition>pass')
      .replace('<pct>100</pct>', '<np>reject</np><testing>n</testing><discovery_method>treewalk</discovery_method>')
    expect(await read(newer)).toEqual(report)
  })

  it('is known by its text when it has no number', async () => {
    const [one, other] = [dmarcXml(), dmarcXml(reportRecord({ messages: '4' }))].map((xml) => xml.replace('>1<', '><'))
    const ids = [await read(one!), await read(other!), await read(one!)].map(({ reportId }) => reportId)
    expect(new Set(ids).size).toBe(2)
    expect(ids[0]).toMatch(/^[0-9a-f]{16}$/)
  })

  it.each([
    ['words in capitals', (xml: string) => xml.replaceAll('>pass<', '>Pass<').replaceAll('>none<', '>None<')],
    ['a prefix at every name', (xml: string) => xml.replaceAll('</', '</d:').replace(/<(?=\w)/g, '<d:')],
    ['an empty reason', (xml: string) => xml.replace('</spf>', '</spf><reason><type/></reason>')],
    ['a schema around it', (xml: string) => xml.replace('<feedback>', '<xs:schema xmlns:xs="x"><feedback>')],
    ['Windows line ends and a mark', (xml: string) => `\uFEFF${xml.replaceAll('\n', '\r\n')}`],
    ['a bare & in a name', (xml: string) => xml.replace('<pct>', '<fo>A & B</fo><pct>')],
    ['UTF-16', (xml: string) => Buffer.from(`\uFEFF${xml}`, 'utf16le')],
    ['milliseconds', (xml: string) => xml.replace(/<(begin|end)>(\d+)/g, '<$1>$2000')],
    ['a dot after the domain', (xml: string) => xml.replace('<domain>acme.example<', '<domain>ACME.example.<')],
    ['gzip', (xml: string) => gzipSync(xml)],
    ['gzip twice', (xml: string) => gzipSync(gzipSync(xml))],
    ['zip', (xml: string) => zipOf(['a.xml', xml])],
    ['zip with what a Mac adds', (xml: string) => zipOf(['__MACOSX/._a.xml', 'x'], ['a.xml', xml])],
  ])('is read with %s', async (_, change) => {
    expect(await read(change(dmarcXml()))).toEqual(await read(dmarcXml()))
  })

  it('is read where a reporter has not escaped a text, or a byte is no character', async () => {
    const torn = dmarcXml().replace('big.example</org_name>', '<bad@big.example></org_name>')
    expect(await read(torn)).toMatchObject({ reporter: '<bad@big.example>', rows: [{ messages: 3 }] })
    const bytes = Buffer.from(dmarcXml().replace('acme.example</header_from>', 'acm\u0001e</header_from>'))
    bytes[bytes.indexOf(1)] = 0xe9
    expect(await read(bytes)).toMatchObject({ rows: [{ messages: 3 }] })
  })

  it.each([
    ['_spf.mail.example', '_spf.mail.example'],
    ['bücher.example', 'bücher.example'],
    ['your account is locked: https://evil.example/login', ''],
    ['evil.example/login', ''],
    ['\u202egro.live', ''],
  ])('has the domain of a result, and no other words: %s', async (given, domain) => {
    expect((await read(dmarcXml().replace('mail.example', given))).rows[0]?.spfDomain).toBe(domain)
  })

  it('leaves out records without an address or a number, and sums up sources beyond those kept', async () => {
    const odd = dmarcXml(
      reportRecord({ ip: 'unknown' }),
      reportRecord({ messages: '0' }),
      reportRecord({ messages: '-7' }),
      reportRecord({ ip: '2001:DB8::1', messages: '4' }),
    )
    expect((await read(odd)).rows).toMatchObject([{ ip: '2001:db8::1', messages: 4 }])
    const many = dmarcXml(
      ...Array.from({ length: 2_500 }, (_, i) => reportRecord({ ip: `10.0.${i >> 8}.${i & 255}`, messages: '2' })),
    )
    const about = { id: newId(), projectId: newProjectId(), domainId: newId(), createdAt: NOW }
    const stored = storedReport(await read(many), 'acme.example', about)
    expect(stored?.report).toMatchObject({ messages: 5_000, passed: 5_000 })
    expect(stored?.sources).toHaveLength(2_001)
    expect(stored?.sources.at(-1)).toMatchObject({ ip: '', messages: 1_000 })
  })

  it('counts for a domain below only by its own mail, and for a stranger not at all', async () => {
    const report = await read(dmarcXml(reportRecord({ from: 'news.acme.example' }), reportRecord({ messages: '9' })))
    const about = { id: newId(), projectId: newProjectId(), domainId: newId(), createdAt: NOW }
    expect(storedReport(report, 'news.acme.example', about)?.report).toMatchObject({ messages: 3 })
    expect(storedReport(report, 'acme.example', about)?.report).toMatchObject({ messages: 12 })
    expect(storedReport(report, 'shop.acme.example', about)).toBeUndefined()
    expect(storedReport(report, 'cme.example', about)).toBeUndefined()
  })

  it('is refused when it counts what no receiver sees, or is on a time to come', async () => {
    const about = { id: newId(), projectId: newProjectId(), domainId: newId(), createdAt: NOW }
    const store = async (text: string) => storedReport(await readReport(Buffer.from(text)), 'acme.example', about)
    const huge = Array.from({ length: 3 }, () => reportRecord({ messages: '999999999' }))
    await expect(store(dmarcXml(...huge))).rejects.toThrow(/more than a receiver can have seen/)
    await expect(store(tlsJson().replace(':90', ':90000000000'))).rejects.toThrow(/more than a receiver can have seen/)
    await expect(store(tlsJson().replaceAll('2026', '2036'))).rejects.toThrow(/a time that is to come/)
  })

  it.each([
    ['nothing', '', /is empty/],
    ['a letter', 'Dear Sir', /neither a DMARC report/],
    ['a page', '<html><body>hello</body></html>', /has no <feedback>/],
    ['no domain', dmarcXml().replace('acme.example</domain>\n', '</domain>\n'), /without a valid domain/],
    [
      'no time',
      dmarcXml().replace(/<date_range>[\s\S]*<\/date_range>/, ''),
      /has no <feedback.report_metadata.date_range>/,
    ],
    ['an end before its begin', dmarcXml().replace('<end>1776729599', '<end>1776600000'), /ends before it begins/],
    ['a year', dmarcXml().replace('<end>1776729599', '<end>1808179200'), /more than 40 days/],
    ['half of it', dmarcXml().slice(0, 300), /damaged or cut off/],
    ['all but its end', dmarcXml().replace('</feedback>', ''), /damaged or cut off/],
    ['no record that is one', dmarcXml(reportRecord({ messages: '-5' })), /no record with an address/],
    [
      'entities that unfold',
      `<!DOCTYPE f [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>${dmarcXml()}`,
      /document type, which no report has/,
    ],
    ['a nest without end', `${'<a>'.repeat(100_000)}`, /damaged|no DMARC report/],
    ['a gzip that is cut', gzipSync(dmarcXml()).subarray(0, 90), /gzip file that is damaged/],
    ['a gzip bomb', gzipSync(Buffer.alloc(64 * 1024 * 1024)), /more than 16 MB/],
    ['a zip of two', zipOf(['a.xml', dmarcXml()], ['b.xml', dmarcXml()]), /several files/],
    ['a zip of none', zipOf(), /without a file/],
    ['a zip that is cut', zipOf(['a.xml', dmarcXml()]).subarray(0, 60), /zip file that is damaged/],
    ['a zip whose bytes are others', flipped(zipOf(['a.xml', dmarcXml()])), /zip file that is damaged/],
    ['a zip bomb', zipOf(['a.xml', ' '.repeat(40 * 1024 * 1024)]), /more than 16 MB/],
  ])('is refused with the reason: %s', async (_, given, reason) => {
    expect(await refusal(given)).toMatch(reason)
  })
})

describe('a TLS report', () => {
  it('is read with its failures, and those that it does not explain', async () => {
    const report = (await readReport(Buffer.from(tlsJson()))) as TlsReport
    expect(report).toEqual({
      ...{
        kind: 'tls',
        reporter: 'Big Mail',
        reportId: 'r1',
        domain: 'acme.example',
        successes: 90,
        failed: 10,
        stsSessions: 100,
      },
      ...{ begin: new Date('2026-04-20T00:00:00Z'), end: new Date('2026-04-20T23:59:59Z') },
      failures: [
        { type: 'certificate-expired', sessions: 7, host: 'mx.acme.example', detail: 'X509' },
        { type: 'validation-failure', sessions: 3, host: '', detail: '' },
      ],
    })
    expect(await readReport(gzipSync(tlsJson()))).toEqual(report)
    expect(await readReport(Buffer.from(tlsJson().replace(':90', ':"90"')))).toEqual(report)
    // counts, failures and a summary that are left out
    const without = (text: string, by: string) => readReport(Buffer.from(tlsJson().replace(text, by)))
    expect(await without(':90', ':null')).toEqual({ ...report, successes: 0, stsSessions: 10 })
    expect(await without('failure-details":[', 'none":[')).toMatchObject({ successes: 90, failed: 10 })
    expect(await without('summary":{', 'none":{')).toMatchObject({ successes: 0, failed: 7 })
    expect(await without('"sts"', '"no-policy-found"'), 'no policy judged it').toEqual({ ...report, stsSessions: 0 })
    // other domains, and a text that PostgreSQL cannot keep
    const { policies, ...rest } = JSON.parse(tlsJson())
    const foreign = { ...policies[0], policy: { 'policy-domain': 'other.example' } }
    const mixed = JSON.stringify({ ...rest, 'report-id': 'r\u00001', policies: [...policies, foreign] })
    expect(await readReport(Buffer.from(mixed))).toEqual({ ...report, reportId: 'r1' })
  })

  it.each([
    ['no JSON', '{"a":', /JSON that is damaged/],
    ['no policies', '{"date-range":{"start-datetime":"","end-datetime":""}}', /its policies is missing/],
    ['no times', tlsJson().replaceAll('T00:00:00Z', '?'), /time range is missing/],
    ['fewer than no connections', tlsJson().replace(':90', ':-90'), /total-successful-session-count is no number of/],
    ['a failure as often', tlsJson().replace(':7', ':-7'), /failure-details\.0\.failed-session-count is no number of/],
    ['half a connection', tlsJson().replace(':10', ':10.5'), /total-failure-session-count is no number of/],
  ])('is refused with the reason: %s', async (_, given, reason) => {
    expect(await refusal(given)).toMatch(reason)
  })
})

describe('an MTA-STS policy', () => {
  const policy = (mode: 'none' | 'testing' | 'enforce') => ({ mode, mx: ['mx.acme.example'], maxAge: 604_800 })
  const day = (number: number, messages = 5, passed = messages, stsSessions: number | undefined = messages) =>
    ({
      ...{ begin: new Date(number * 86_400_000), messages, passed, failures: [] },
      ...(stsSessions !== undefined && { stsSessions }),
    }) as unknown as DomainReport
  const week = Array.from({ length: 7 }, (_, number) => day(number))
  const advice = (given: Partial<JudgedSts>) =>
    judgeStsReports({ domain: 'acme.example', policy: policy('testing'), isInPlace: true, reports: week, ...given })

  it('is enforced only after a week of connections that it judged, of which none failed', () => {
    expect(advice({ policy: undefined }).code).toBe('sts_none')
    expect(advice({ policy: policy('none') }).code).toBe('sts_off')
    expect(advice({ isInPlace: false }).code).toBe('sts_not_in_place')
    expect(advice({})).toMatchObject({ code: 'sts_to_enforce', params: { sessions: 35 } })
    expect(advice({ reports: week.slice(1) })).toMatchObject({ code: 'sts_wait', params: { days: 6, sessions: 30 } })
    expect(advice({ reports: week.map(({ begin }) => day(begin.getTime() / 86_400_000, 2)) }).code).toBe('sts_wait')
    // without a policy, servers accept any certificate: those connections prove nothing
    expect(advice({ reports: week.map(({ begin }) => day(begin.getTime() / 86_400_000, 900, 900, 0)) })).toMatchObject({
      ...{ code: 'sts_wait', params: { days: 0, sessions: 0 } },
    })
    expect(advice({ policy: policy('enforce') }).code).toBe('sts_at_enforce')
  })

  it('is not, while a connection fails, whichever policy judged it', () => {
    const failing = [
      ...week,
      { ...day(3, 5, 4, 0), failures: [{ host: 'mx2.acme.example' }] } as unknown as DomainReport,
    ]
    expect(advice({ reports: failing })).toMatchObject({
      ...{ code: 'sts_fix_first', params: { failed: 1, hosts: 'mx2.acme.example' } },
    })
    expect(advice({ reports: [...week, day(2, 5, 4)] }).params.hosts).toBe('acme.example')
    expect(advice({ reports: failing, policy: policy('enforce') }).code).toBe('sts_failing')
  })
})

describe('the senders in reports', () => {
  const figures = (fields: object) => ({
    ...{ ip: '192.0.2.1', dkimDomain: '', dkimSelector: '', spfDomain: '', reason: '', messages: 10 },
    ...{ byDkim: 0, bySpf: 0, passed: 0, quarantined: 0, rejected: 0 },
    ...fields,
  })
  const own = { domain: 'acme.example', selectors: new Set(['mw1']) }
  const kindOf = (fields: object) => {
    const [sender] = sendersIn([figures(fields)], own)
    return `${sender?.kind} ${sender?.name}`.trim()
  }
  const signed = { dkimDomain: 'acme.example', byDkim: 10, passed: 10 }

  it.each([
    ['own', { ...signed, dkimSelector: 'mw1', spfDomain: 'bounces.acme.example', bySpf: 10 }],
    ['own', { ...signed, dkimSelector: 'mw1' }],
    ['own', { ...signed, dkimSelector: 'mw1', spfDomain: 'eu.amazonses.com' }],
    ['service Google', { ...signed, dkimSelector: 'google', spfDomain: 'acme.example.20230601.gappssmtp.com' }],
    ['service Mailchimp', { dkimDomain: 'mcsv.net', spfDomain: 'mail5.mcsv.net' }],
    ['forwarder uni.example', { ...signed, dkimSelector: 'mw1', spfDomain: 'uni.example' }],
    ['forwarder uni.example', { reason: 'mailing_list', spfDomain: 'uni.example' }],
    ['other acme.example', { spfDomain: 'acme.example', bySpf: 10, passed: 10 }],
    ['unknown spam.example', { spfDomain: 'spam.example' }],
    ['unknown 192.0.2.1', {}],
    // the rest of a very long report
    ['unknown', { ip: '', passed: 5 }],
    ['unknown notmcsv.net', { spfDomain: 'notmcsv.net' }],
  ])('are known: %s', (kind, fields) => {
    expect(kindOf(fields)).toBe(kind)
  })

  it('make the advice', () => {
    const good = sendersIn([figures({ ...signed, dkimSelector: 'mw1', messages: 1000, passed: 999 })], own)
    const service = sendersIn([figures({ spfDomain: 'mcsv.net', messages: 40 })], own)
    const stranger = sendersIn([figures({ spfDomain: 'spam.example', messages: 7 })], own)
    const judged = (more: Partial<Judged>) =>
      judgeReports({ domain: 'acme.example', days: 30, policy: 'none', senders: good, ...more }).map(
        ({ code, params }) => [code, params],
      )
    expect(judged({ senders: [] })).toEqual([['reports_none', {}]])
    expect(judged({ days: 3 })).toEqual([['reports_few', { days: 3, messages: 1000 }]])
    expect(judged({})).toEqual([['reports_to_quarantine', { passed: 99.9 }]])
    expect(judged({ policy: 'quarantine', senders: [...good, ...stranger] })).toEqual([
      ['reports_to_reject', { passed: 99.9 }],
      ['reports_strangers', { messages: 7 }],
    ])
    expect(judged({ policy: 'reject' })).toEqual([['reports_at_reject', { passed: 99.9 }]])
    expect(judged({ senders: [...good, ...service], policy: 'quarantine' })).toEqual([
      ['reports_fix_sender', { failed: 40, messages: 40, name: 'Mailchimp', domain: 'acme.example' }],
    ])
  })
})

describe('news in reports', () => {
  const days = (count: number) => Array.from({ length: count }, (_, day) => ({ day, messages: 1, passed: 1 }))
  const tls = (messages: number, passed: number) => [{ messages, passed } as DomainReport]
  const sender = (kind: ReportedSource['kind'], name: string, messages: number, passed: number): ReportedSource => ({
    ...{ kind, name, messages, passed, addresses: 1, examples: name === '' ? [] : ['198.51.100.7'] },
    ...{ byDkim: passed, bySpf: 0, quarantined: 0, rejected: 0 },
  })
  const own = (messages: number, passed: number) => sender('own', '', messages, passed)
  const stranger = (messages: number, passed = 0) => sender('unknown', '198.51.100.7', messages, passed)
  const NONE: readonly DomainReport[] = []
  const news = (
    recent: readonly ReportedSource[],
    all: readonly ReportedSource[],
    { before = 7, reports = NONE }: { readonly before?: number; readonly reports?: readonly DomainReport[] } = {},
  ) => alertsIn({ daysBefore: days(before), recent, all, tls: reports })

  it('are a new sender that fails, the worst of several', () => {
    const address = '198.51.100.7'
    const found = [{ kind: 'sender', name: address, isKnown: false, address, messages: 20, failed: 20 }]
    expect(news([stranger(20)], [stranger(20)])).toEqual(found)
    expect(news([stranger(19)], [stranger(19)])).toEqual([])
    expect(news([stranger(40, 20)], [stranger(40, 20)])).toEqual([])
    expect(news([stranger(20)], [stranger(21)]), 'it was there before').toEqual([])
    expect(news([stranger(20)], [stranger(20)], { before: 6 }), 'all is new').toEqual([])
    const worse = sender('service', 'SendGrid', 90, 10)
    expect(news([stranger(20), worse], [stranger(20), worse])).toMatchObject([
      { name: 'SendGrid', isKnown: true, failed: 80 },
    ])
    const rest = sender('unknown', '', 900, 0)
    expect(news([rest], [rest]), 'the rest of a long report').toEqual([])
    const passedOn = sender('forwarder', 'list.example', 90, 0)
    expect(news([passedOn, own(90, 0)], [passedOn, own(90, 0)])).toEqual([])
  })

  it('are told without the words that strangers choose', () => {
    const told = (kind: ReportedSource['kind'], name: string) => {
      const [alert] = news([sender(kind, name, 40, 0)], [sender(kind, name, 40, 0)])
      return (['en', 'de'] as const).map((language) => lettersIn(language).alert(alert!)).join(' ')
    }
    expect(told('unknown', 'your-account-is-locked.evil.example')).not.toContain('evil')
    expect(told('other', 'evil.example')).toContain('198.51.100.7')
    expect(told('service', 'SendGrid')).toMatch(/^SendGrid is new .* SendGrid sendet neu/)
  })

  it('are less mail of your own that passes', () => {
    expect(news([own(100, 88)], [own(200, 187)])).toEqual([{ kind: 'passRate', before: 99, now: 88, messages: 100 }])
    expect(news([own(100, 90)], [own(200, 189)])).toEqual([])
    expect(news([own(99, 0)], [own(1000, 901)])).toEqual([])
    expect(news([own(100, 0)], [own(199, 99)])).toEqual([])
    expect(news([own(100, 100), stranger(900)], [own(200, 200), stranger(901)]), 'strangers').toEqual([])
  })

  it('are connections that fail', () => {
    expect(news([], [], { before: 0, reports: [...tls(900, 895), ...tls(100, 95)] })).toEqual([
      { kind: 'tls', sessions: 1000, failed: 10 },
    ])
    expect(news([], [], { reports: tls(1000, 991) })).toEqual([])
    expect(news([], [], { reports: tls(1001, 991) })).toEqual([])
  })
})
