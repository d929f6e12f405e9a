import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createTransport } from 'nodemailer'
import { filledCampaign } from './campaign-mail.ts'
import { CONNECTIONS as CAMPAIGN_CONNECTIONS, rsaKey } from './campaign-run.ts'
import type { Figure } from './figure.ts'
import { filledHtml } from './sample-mail.ts'
import { postfixTool, startSmtpSink } from './smtp-sink.ts'

export const SINK_PORT = 25_250
const CONNECTIONS = 20

/** The speed of an application that hands the same mail to nodemailer's pool itself, with nothing stored. */
export async function measureNodemailer(mails: number): Promise<readonly Figure[]> {
  const sink = await startSmtpSink(SINK_PORT)
  const transport = createTransport({
    pool: true,
    host: '127.0.0.1',
    port: sink.port,
    ignoreTLS: true,
    maxConnections: CONNECTIONS,
    maxMessages: Number.POSITIVE_INFINITY,
  })
  const html = filledHtml(1)
  const text = html.replace(/<[^>]+>/g, '')
  let next = 0
  const sendNext = async (): Promise<void> => {
    while (next < mails) {
      const to = `user${next++}@example.org`
      await transport.sendMail({ from: 'News <news@example.com>', to, subject: 'News for you', html, text })
    }
  }
  const start = performance.now()
  await Promise.all(Array.from({ length: 2 * CONNECTIONS }, sendNext))
  const seconds = (performance.now() - start) / 1000
  transport.close()
  await sink.close()
  return [
    {
      what: 'reference: nodemailer pooled sendMail',
      value: mails / seconds,
      unit: 'mails/s',
      note: `${CONNECTIONS} connections`,
    },
  ]
}

/** The same for the campaigns' mail, filled in beforehand; signed by nodemailer's DKIM (RSA-2048) if `signed`. */
export async function measureNodemailerCampaign(mails: number, signed: boolean): Promise<readonly Figure[]> {
  const sink = await startSmtpSink(SINK_PORT)
  const transport = createTransport({
    ...{ pool: true, host: '127.0.0.1', port: sink.port, ignoreTLS: true },
    ...{ maxConnections: CAMPAIGN_CONNECTIONS, maxMessages: Number.POSITIVE_INFINITY },
    ...(signed ? { dkim: { domainName: 'example.com', keySelector: 'bench', privateKey: rsaKey() } } : {}),
  })
  const mail = { from: 'News <news@example.com>', ...filledCampaign(1) }
  let next = 0
  const sendNext = async (): Promise<void> => {
    while (next < mails) await transport.sendMail({ ...mail, to: `user${next++}@example.org` })
  }
  const start = performance.now()
  const cpu = process.cpuUsage()
  await Promise.all(Array.from({ length: 2 * CAMPAIGN_CONNECTIONS }, sendNext))
  const seconds = (performance.now() - start) / 1000
  const { user, system } = process.cpuUsage(cpu)
  transport.close()
  await sink.close()
  const what = `reference: nodemailer pooled sendMail, a campaign's mail${signed ? ', signed' : ''}`
  return [
    { what, value: mails / seconds, unit: 'mails/s', note: `${CAMPAIGN_CONNECTIONS} connections` },
    { what: `${what}: CPU for each mail`, value: (user + system) / mails, unit: 'µs' },
  ]
}

/** The speed of Postfix's own load generator (in C) with messages of that size, which is the sink's limit. */
export async function measureSmtpSource(mails: number): Promise<readonly Figure[]> {
  const sink = await startSmtpSink(SINK_PORT)
  const size = Math.round(filledHtml(1).length * 1.5)
  const given = ['-s', String(CONNECTIONS), '-m', String(mails), '-l', String(size), '-d']
  const start = performance.now()
  const child = spawn(postfixTool('smtp-source'), [...given, `127.0.0.1:${sink.port}`], { stdio: 'ignore' })
  await once(child, 'exit')
  const seconds = (performance.now() - start) / 1000
  await sink.close()
  return [
    {
      what: 'reference: smtp-source',
      value: mails / seconds,
      unit: 'mails/s',
      note: 'plain messages of the same size',
    },
  ]
}
