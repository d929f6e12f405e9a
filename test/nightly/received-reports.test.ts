import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { createTransport, type SendMailOptions } from 'nodemailer'
import { beforeAll, describe, expect, it } from 'vitest'
import { nodeDns } from '../../plugins/dns-node/index.ts'
import type { SmtpListener } from '../../plugins/inbound-smtp/smtp-listener.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { type DnsServer, startDnsServer } from '../support/dns-server.ts'
import { toSink } from '../support/engine.ts'
import { STRICT } from '../support/matrix.ts'
import { readReports, reportMails, SAMPLES } from '../support/report-samples.ts'
import { dmarcXml } from '../support/reports.ts'
import { smtpListener } from '../support/smtp-listener.ts'
import { startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

const NOON = new Date('2026-05-01T12:00:00Z')

describe(`reports that come by SMTP, on ${STRICT.name}`, () => {
  let test: TestApp
  let listener: SmtpListener
  let dns: DnsServer
  let id = ''

  beforeAll(async () => {
    dns = await startDnsServer({})
    const sink = await startSmtpSink()
    const plugin = smtpListener((made) => {
      listener = made
    })
    test = await testApp(
      STRICT,
      {},
      {
        ...{
          transports: [toSink(sink)],
          inbound: [plugin],
          dns: nodeDns({ servers: [dns.address], timeoutMs: 300, tries: 1, cacheEntries: 0 }),
          publicUrl: 'https://mail.example',
        },
        domains: { returnPathHost: 'bounces.operator.example', inboundHost: 'mx.operator.example' },
        clock: { now: () => NOON },
      },
    )
    await test.engine.start()
    id = await verified('acme.example')
    return () => Promise.all([dns.close(), sink.close()])
  })

  const verified = async (domain: string) => {
    const { status, body } = await test.ask('POST', '/domains', { json: { domain } })
    expect(status, `${domain}: ${body.error?.message}`).toBe(201)
    const { id } = body
    const { records } = (await test.ask('GET', `/domains/${id}/verify`)).body
    const key = records.find(({ purpose }: { purpose: string }) => purpose === 'dkim')
    dns.set(key.name, 'TXT', [key.value])
    expect((await test.ask('GET', `/domains/${id}/verify`)).body.verified).toBe(true)
    return id as string
  }
  const send = (mail: SendMailOptions) =>
    createTransport({ host: '127.0.0.1', port: listener.port, secure: false, ignoreTLS: true }).sendMail(mail)
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
  it.skipIf(!process.env.REPORTS)('are read from a folder of public ones', async () => {
    const folder = process.env.REPORTS ?? ''
    const values: Record<string, { domain: string; id: string; messages: number; passed: number }> = JSON.parse(
      readFileSync(join(folder, 'expected.json'), 'utf8'),
    )
    const domains = new Map<string, string>()
    for (const domain of new Set(Object.values(values).map((each) => each.domain)))
      domains.set(domain, await verified(domain))
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()) {
      const path = join(folder, file)
      const about = values[file]
      if (about === undefined) continue
      const to = `dmarc@bounces.${about.domain}`
      const content = readFileSync(path)
      const given = file.endsWith('.eml') ? { raw: content } : { attachments: [{ filename: file, content }], text: '' }
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
