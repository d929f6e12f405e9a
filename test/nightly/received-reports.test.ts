import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { SendMailOptions } from 'nodemailer'
import { beforeAll, describe, expect, it } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { STRICT } from '../support/matrix.ts'
import { readReports, reportMails, SAMPLES } from '../support/report-samples.ts'
import { dmarcXml } from '../support/reports.ts'
import { type ReportsByMail, reportsByMail } from '../support/reports-by-mail.ts'
import { until } from '../support/until.ts'

describe(`reports that come by SMTP, on ${STRICT.name}`, () => {
  let reports: ReportsByMail
  let test: TestApp
  let id = ''

  beforeAll(async () => {
    reports = await reportsByMail(STRICT)
    test = reports.test
    id = await reports.verified('acme.example')
    return reports.close
  })

  const send = (mail: SendMailOptions) => reports.send(mail)
  const list = async (of = id) => (await test.ask('GET', `/domains/${of}/reports?limit=100`)).body.data
  const received = async () => (await test.ask('GET', '/emails?status=RECEIVED')).body.data

  it('have the values of another reader in the API', async () => {
    const expected = Object.entries(readReports())
    for (const [name, report] of expected) {
      const filename = `${report.org.replaceAll(' ', '-')}!acme.example!${report.begin}!${report.end}.xml.gz`
      const content = gzipSync(readFileSync(new URL(name, SAMPLES)))
      const subject = `Report Domain: acme.example Submitter: ${report.org}`
      const to = 'dmarc@bounces.acme.example'
      await send({ from: 'dmarc@big.example', to, subject, text: '', attachments: [{ filename, content }] })
    }
    await until('the reports', async () => (await list()).length === expected.length, 60_000)
    const byId = new Map((await list()).map((each: { reportId: string }) => [each.reportId, each]))
    for (const [name, { org, id: reportId, begin, end, p, rows }] of expected) {
      const sum = (of: typeof rows) => of.reduce((total, { count }) => total + count, 0)
      expect(byId.get(reportId), name).toMatchObject({
        ...{ kind: 'dmarc', reporter: org, domain: 'acme.example', policy: p, messages: sum(rows) },
        passed: sum(rows.filter(({ dkim, spf }) => dkim === 'pass' || spf === 'pass')),
        ...{ begin: new Date(Number(begin) * 1000).toISOString(), end: new Date(Number(end) * 1000).toISOString() },
      })
    }
    expect(await received()).toEqual([])
  })

  it('are found in whatever mail brings them, at the address of the domain and of the host', async () => {
    const before = (await list()).length
    const hosts = ['dmarc@bounces.acme.example', 'dmarc@mx.operator.example']
    let count = 0
    for (const to of hosts) {
      for (const name of Object.keys(reportMails(Buffer.alloc(0), ''))) {
        const xml = dmarcXml().replace('>1<', `>${to}-${name}<`)
        const raw = reportMails(gzipSync(xml), xml)[name] ?? ''
        await send({ envelope: { from: 'dmarc@big.example', to }, raw })
        count++
      }
    }
    await until('the reports', async () => (await list()).length === before + count, 60_000)
    expect(await received()).toEqual([])
  })

  // the public ones are not part of this project: REPORTS names a folder with some, and with mails that bring them
  const folder = process.env.REPORTS
  if (folder !== undefined)
    it('are read from a folder of public ones', async () => {
      const values: Record<string, { domain: string; id: string; messages: number; passed: number }> = JSON.parse(
        readFileSync(join(folder, 'expected.json'), 'utf8'),
      )
      const domains = new Map<string, string>()
      for (const domain of new Set(Object.values(values).map((each) => each.domain)))
        domains.set(domain, await reports.verified(domain))
      for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()) {
        const path = join(folder, file)
        const about = values[file]
        if (about === undefined) continue
        const to = `dmarc@bounces.${about.domain}`
        const content = readFileSync(path)
        const given = file.endsWith('.eml')
          ? { raw: content }
          : { attachments: [{ filename: file, content }], text: '' }
        await send({ envelope: { from: 'dmarc@big.example', to }, ...given })
      }
      await until('the reports', settled, 120_000)
      async function settled() {
        let count = 0
        for (const of of domains.values()) count += (await list(of)).length
        return count >= new Set(Object.values(values).map((each) => `${each.domain} ${each.id}`)).size
      }
      const others: string[] = []
      for (const [file, { domain, id: reportId, messages, passed }] of Object.entries(values)) {
        const found = (await list(domains.get(domain))).find((each: { reportId: string }) => each.reportId === reportId)
        if (found?.messages !== messages || found?.passed !== passed) others.push(`${file}: ${JSON.stringify(found)}`)
      }
      expect(others).toEqual([])
    })
})
