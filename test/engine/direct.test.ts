import { expect, it, onTestFinished } from 'vitest'
import { nodeDns } from '../../plugins/dns-node/index.ts'
import { direct } from '../../plugins/mail-direct/index.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { engineWithSink } from '../support/engine.ts'
import { startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

// catches an outage or a refusal of one domain that is taken for trouble with all mail, and a lost or doubled copy
it('mail goes straight to the servers of its recipients: each domain waits, bounces and arrives by itself', async () => {
  const at = async (host: string, port?: number) => {
    const sink = await startSmtpSink({ at: { host, ...(port === undefined ? {} : { port }) } })
    onTestFinished(() => sink.close())
    return sink
  }
  const good = await at('127.0.0.2')
  const mx = (exchange: string) => ({ MX: [{ exchange, priority: 1 }] })
  const names = await startDnsServer({
    'good.example': mx('mx.good.example'),
    'mx.good.example': { A: ['127.0.0.2'] },
    'late.example': mx('127.0.0.3'),
    'mail.example.com': { A: ['127.0.0.1'] },
  })
  onTestFinished(() => names.close())
  const { engine, project } = await engineWithSink({
    transports: [direct({ name: 'mail.example.com', port: good.port, publicOr: ['127.0.0.0/8'] })],
    dns: nodeDns({ servers: [names.address], timeoutMs: 200, tries: 1 }),
    delivery: { retryDelays: [1.5, 1.5, 1.5, 1.5, 1.5] },
  })
  await engine.start()
  const mail = { from: 'hello@example.com', subject: 'Hi', body: '<p>Hi</p>' }
  const send = async (to: string, cc: readonly string[] = []) => {
    const { answer } = await engine.sending.send(project, { ...mail, to, cc: [...cc] })
    return answer.emails[0]!.email
  }
  const [ada, bob, cy] = await Promise.all([
    send('ada@good.example', ['dee@late.example']),
    send('bob@late.example'),
    send('cy@nowhere.example'),
  ])
  const found = async (id: string) => (await engine.mails.get(project, id)).email
  await until('the copy was put off', async () => (await found(ada)).attempts > 0)
  await until('the domain that is away was tried', async () => (await found(bob)).attempts > 0)
  const { status, error } = await engine.sending.delivered(project, cy)
  expect(status).toBe('BOUNCED')
  expect(error).toContain('The domain does not exist')
  expect((await engine.health()).ok).toBe(true)

  const late = await at('127.0.0.3', good.port)
  for (const id of [ada, bob])
    expect(await engine.sending.delivered(project, id)).toMatchObject({ status: 'DELIVERED' })
  expect(good.messages.map(({ to }) => to)).toEqual([['ada@good.example']])
  expect(late.messages.map(({ to }) => to).sort()).toEqual([['bob@late.example'], ['dee@late.example']])
})
