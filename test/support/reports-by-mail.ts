import { createTransport, type SendMailOptions } from 'nodemailer'
import { expect } from 'vitest'
import { nodeDns } from '../../plugins/dns-node/index.ts'
import type { SmtpListener } from '../../plugins/inbound-smtp/smtp-listener.ts'
import { type TestApp, testApp } from './app.ts'
import { type DnsServer, startDnsServer } from './dns-server.ts'
import { toSink } from './engine.ts'
import type { StoreCase } from './matrix.ts'
import { smtpListener } from './smtp-listener.ts'
import { startSmtpSink } from './smtp-sink.ts'

/** A server whose host gets reports on domains by SMTP. */
export interface ReportsByMail {
  readonly test: TestApp
  readonly dns: DnsServer
  /** Verifies a domain of the project. Answers its id. */
  verified(domain: string): Promise<string>
  /** Hands a mail over to its listener. */
  send(mail: SendMailOptions): Promise<unknown>
  close(): Promise<unknown>
}

/** Starts it on this store at noon of 1 May 2026, with these names in the DNS. */
export async function reportsByMail(
  store: StoreCase,
  names: Parameters<typeof startDnsServer>[0] = {},
): Promise<ReportsByMail> {
  const begun = performance.now()
  const dns = await startDnsServer(names)
  const sink = await startSmtpSink()
  let listener: SmtpListener | undefined
  const plugin = smtpListener((made) => {
    listener = made
  })
  const test = await testApp(
    store,
    {},
    {
      ...{
        transports: [toSink(sink)],
        inbound: [plugin],
        dns: nodeDns({ servers: [dns.address], timeoutMs: 300, tries: 1, cacheEntries: 0 }),
        publicUrl: 'https://mail.example',
      },
      domains: { returnPathHost: 'bounces.operator.example', inboundHost: 'mx.operator.example' },
      // it goes on, or what has to be read again on a busy machine would wait for ever
      clock: { now: () => new Date(NOON + performance.now() - begun) },
    },
  )
  await test.engine.start()
  return {
    test,
    dns,
    async verified(domain) {
      const { status, body } = await test.ask('POST', '/domains', { json: { domain } })
      expect(status, `${domain}: ${body.error?.message}`).toBe(201)
      const { records } = (await test.ask('GET', `/domains/${body.id}/verify`)).body
      const key = records.find(({ purpose }: { purpose: string }) => purpose === 'dkim')
      dns.set(key.name, 'TXT', [key.value])
      expect((await test.ask('GET', `/domains/${body.id}/verify`)).body.verified).toBe(true)
      return body.id
    },
    send: (mail) =>
      createTransport({ host: '127.0.0.1', port: listener?.port, secure: false, ignoreTLS: true }).sendMail(mail),
    close: () => Promise.all([dns.close(), sink.close()]),
  }
}

const NOON = Date.parse('2026-05-01T12:00:00Z')
