import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { readMime } from '../../core/bounces/parse/mime.ts'
import { domainsInReport } from '../../core/reports/domains-in-report.ts'
import { failureReportIn } from '../../core/reports/failure-report.ts'
import { readReport } from '../../core/reports/read-report.ts'
import type { DmarcReport } from '../../core/reports/report.ts'
import { readReports, reportMails, SAMPLES } from '../support/report-samples.ts'
import { dmarcXml, reportRecord, tlsJson } from '../support/reports.ts'

const read = async (given: string | Buffer) => (await readReport(Buffer.from(given as string))) as DmarcReport

describe('reports in the shapes of receivers', () => {
  it.each(Object.entries(readReports()))('have the values of another reader: %s', async (name, expected) => {
    const report = await read(readFileSync(new URL(name, SAMPLES)))
    const { rows, ...facts } = expected
    expect(report).toMatchObject({
      ...{ reporter: facts.org, reportId: facts.id, domain: facts.domain, policy: facts.p },
      ...{ begin: new Date(Number(facts.begin) * 1000), end: new Date(Number(facts.end) * 1000) },
    })
    const counted = rows.filter(({ count }) => count > 0)
    expect(report.rows).toHaveLength(counted.length)
    for (const [i, row] of counted.entries()) {
      const mine = report.rows[i]
      expect(mine).toMatchObject({
        ...{ ip: row.ip, messages: row.count, dkim: row.dkim === 'pass', spf: row.spf === 'pass' },
        // RFC 9990 writes `pass` where earlier reports have `none`
        ...{ disposition: row.disposition.replace('pass', 'none') || 'none' },
        ...{ headerFrom: row.header_from || facts.domain, reason: row.reasons.join(' ') },
      })
      const none = [['', '', 'none']]
      expect(row.auth_dkim.length > 0 ? row.auth_dkim : none).toContainEqual([
        ...[mine?.dkimDomain, mine?.dkimSelector, mine?.dkimResult],
      ])
      expect(row.auth_spf.length > 0 ? row.auth_spf : [['', 'none']]).toContainEqual([mine?.spfDomain, mine?.spfResult])
    }
  })

  it('are all of the folder', () => {
    const files = readdirSync(SAMPLES).filter((name) => name.endsWith('.xml'))
    expect(Object.keys(readReports())).toEqual(files.toSorted())
  })

  it('go by the signature and the return path that DMARC went by', async () => {
    const of = async (name: string) => (await read(readFileSync(new URL(name, SAMPLES)))).rows[0]
    expect(await of('amazon.xml')).toMatchObject({ dkimDomain: 'acme.example', spfDomain: 'us-west-2.amazonses.com' })
    expect(await of('comcast.xml')).toMatchObject({ dkimDomain: 'acme.example', dkimSelector: 's2' })
    expect(await of('fastmail.xml')).toMatchObject({ spfDomain: 'return.relay.example', spfResult: 'temperror' })
  })

  it('are read with a line end after the gzip, and lose no number', async () => {
    expect(await read(Buffer.concat([gzipSync(dmarcXml()), Buffer.from('\r\n')]))).toEqual(await read(dmarcXml()))
    const large = dmarcXml(reportRecord({ messages: '4294967296' }), reportRecord())
    expect((await read(large)).rows.map(({ messages }) => messages)).toEqual([4_294_967_296, 3])
  })
})

describe('a mail with a report', () => {
  const file = gzipSync(dmarcXml())
  it.each(Object.entries(reportMails(file, dmarcXml())))('is read when it is saved whole: %s', async (_, raw) => {
    expect(await read(raw)).toEqual(await read(dmarcXml()))
  })

  it('is read with a report on TLS, and without one refused', async () => {
    const { nameless = '' } = reportMails(gzipSync(tlsJson()), tlsJson())
    expect(await readReport(Buffer.from(nameless))).toMatchObject({ kind: 'tls', successes: 90 })
    await expect(read('Subject: hello\r\n\r\nDear Sir')).rejects.toThrow(/neither a DMARC report .* or in a mail/)
  })

  it.each(['encoded', 'in pieces', 'in words', 'passed on', 'with a mark'])('says its domain: %s', (name) => {
    const mails: Readonly<Record<string, string>> = reportMails(file, dmarcXml())
    const raw = (mails[name] ?? '').replace(name === 'with a mark' ? /$^/ : /^Subject: (?!Fwd).*$/gm, 'Subject: x')
    expect(domainsInReport(Buffer.from(raw))).toEqual(['acme.example'])
  })

  it('is refused where only a part of it would be read', async () => {
    const { 'as it should be': raw = '' } = reportMails(file, dmarcXml())
    const most = raw.padEnd(1024 * 1024, '\r\n')
    expect(await read(most)).toEqual(await read(dmarcXml()))
    await expect(read(`${most}\n`)).rejects.toThrow(/is a mail of more than 1 MB: add the report in it as a file/)
    const both = raw.replace('--outer--', raw.slice(raw.indexOf('--outer\r\nContent-Type: application')))
    await expect(read(both)).rejects.toThrow(/is a mail with several reports: add them one by one/)
  })

  // it is looked at while the sender waits for an answer, beside everything else
  it('takes little longer than another mail of its size, whatever its parts are', () => {
    const part = (inside: string) => `--outer\nContent-Type: multipart/mixed${inside}\n`
    const mail = (parts: readonly string[], rest = '') =>
      Buffer.from(`Content-Type: multipart/mixed; boundary="outer"\n\n${parts.join('')}--outer--\n${rest}`)
    const timeOf = (raw: Buffer) => {
      const times = [1, 2, 3].map(() => {
        const begun = performance.now()
        domainsInReport(raw)
        return performance.now() - begun
      })
      return Math.min(...times)
    }
    const plain = timeOf(Buffer.from(`Subject: x\n\n${'hello world\n'.repeat(87_000)}`))
    // boundaries that are nowhere, before a megabyte of their first sign; and lines that are no boundary at their end alone
    const absent = Array.from({ length: 99 }, (_, i) => part(`; boundary="b${i}"\n\nx`))
    const spaces = Array.from({ length: 90 }, () => part(`\n\n--x${' '.repeat(10_000)}y`))
    expect(timeOf(mail(absent, '-'.repeat(1_000_000)))).toBeLessThan(60 * plain)
    expect(timeOf(mail(spaces))).toBeLessThan(60 * plain)
  })

  it('is a failure report when only its subject says so, as Exim writes it', () => {
    const exim = (subject: string, type = 'report') =>
      readMime(
        Buffer.from(
          `Subject: ${subject}\r\nContent-Type: multipart/${type}; boundary="b"\r\n\r\n--b\r\n\r\nA message failed.\r\n--b--\r\n`,
        ),
      )
    const subject = 'DMARC Forensic Report for acme.example from IP 203.0.113.68'
    expect(failureReportIn(exim(subject))).toEqual({ domain: 'acme.example' })
    expect(failureReportIn(exim(subject, 'mixed'))).toBeUndefined()
    expect(failureReportIn(exim('Undelivered mail'))).toBeUndefined()
  })
})
