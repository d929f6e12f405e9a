import { expect, it, onTestFinished } from 'vitest'
import type { Engine, GivenSettings, Project } from '../../config/library.ts'
import { type Log, type LogFields, silentLog } from '../../core/ports/log.ts'
import { smtp } from '../../plugins/mail-smtp/index.ts'
import { engineWithSink } from '../support/engine.ts'
import { type FaultScript, startFaultSmtp } from '../support/fault-smtp.ts'
import * as hops from '../support/next-hops.ts'
import { until } from '../support/until.ts'

/*
 * Next hops that take only so many mails on one connection, for a whole engine: no mail may use a try for it, and its
 * transport must not be slowed.
 */

const COUNT = 150
const LONG = 60_000

async function world(script: FaultScript, threads: number) {
  const server = await startFaultSmtp(script)
  onTestFinished(() => server.close())
  const lines: LogFields[] = []
  const note = (_message: string, fields: LogFields = {}) => void lines.push(fields)
  const log: Log = { ...silentLog, info: note, warn: note, with: () => log }
  const plugin = smtp({ host: '127.0.0.1', port: server.port, maxConnections: 5 })
  const settings: GivenSettings = { transports: [{ name: 'hop', plugin }], log, delivery: { threads } }
  const { engine, project } = await engineWithSink(settings)
  await engine.start()
  return { server, lines, engine, project }
}

async function transactional(engine: Engine, project: Project): Promise<readonly string[]> {
  const mail = { from: 'hello@example.com', subject: 'Hi', body: '<p>Hi</p>' }
  const to = Array.from({ length: COUNT }, (_, i) => `p${i}@example.org`)
  const sent = await Promise.all(to.map((one) => engine.sending.send(project, { ...mail, to: one })))
  return sent.map(({ answer }) => answer.emails[0]!.email)
}

async function campaign(engine: Engine, project: Project): Promise<readonly string[]> {
  const file = Buffer.from(['email', ...Array.from({ length: COUNT }, (_, i) => `p${i}@example.org`)].join('\n'))
  const { answer } = await engine.contacts.jobs.import(project, { file })
  const imported = async () => (await engine.contacts.jobs.get(project, 'import', answer.jobId)).state === 'completed'
  await until('the contacts are there', imported, LONG)
  const content = {
    name: 'News',
    subject: 'News',
    body: '<p>News</p>',
    from: 'news@example.com',
    audienceType: 'ALL',
  } as const
  const { id } = (await engine.campaigns.create(project, content)).campaign
  await engine.campaigns.send(project, id)
  const isSent = async () => (await engine.campaigns.get(project, id)).campaign.status === 'SENT'
  await until('the campaign is sent', isSent, LONG)
  const first = await engine.campaigns.recipients(project, id, { limit: 100 })
  const rest = await engine.campaigns.recipients(project, id, { limit: 100, cursor: first.cursor })
  return [...first.items, ...rest.items].map((email) => email.id)
}

it.each([
  ['OpenSMTPD', 'transactional mail', 0, hops.openSmtpd(8), transactional],
  ['OpenSMTPD', 'a campaign', 1, hops.openSmtpd(8), campaign],
  ['Exim', 'a campaign', 0, hops.exim(8), campaign],
  ['Exim', 'transactional mail', 1, hops.exim(8), transactional],
  ['a server that closes', 'a campaign', 1, hops.closing(8), campaign],
] as const)('%s gets %s in %d threads, each mail at its first try', async (_name, _kind, threads, script, send) => {
  const { server, lines, engine, project } = await world(script, threads)
  const ids = await send(engine, project)
  expect(ids).toHaveLength(COUNT)
  const rows = () => Promise.all(ids.map(async (id) => (await engine.mails.get(project, id)).email))
  const isDone = async () => (await rows()).every(({ status }) => status === 'DELIVERED' || status === 'FAILED')
  await until('all have their result', isDone, LONG)
  const ends = (await rows()).map(({ status, attempts }) => `${status} at try ${attempts}`)
  expect([...new Set(ends)]).toEqual(['DELIVERED at try 1'])
  const messageIds = server.messages.map((text) => /^Message-ID: (\S+)/im.exec(text)?.[1])
  expect(messageIds).toHaveLength(COUNT)
  expect(new Set(messageIds).size).toBe(COUNT)
  expect(engine.analytics.operations.transports()).toMatchObject([{ name: 'hop', state: 'ok' }])
  expect(engine.analytics.operations.transports()[0]).not.toHaveProperty('lastError')
  expect(lines.some(({ mails }) => mails === 8)).toBe(true)
})
