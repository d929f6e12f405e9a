import { describe, expect, it } from 'vitest'
import { type Log, silentLog } from '../../config/library.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { engineWithSink } from '../support/engine.ts'
import { STORES } from '../support/matrix.ts'
import { startReceiver } from '../support/receiver.ts'

const MAIL = { from: 'hello@example.com', subject: 'Hi', body: '<p>Hi</p>' }
const BUSY = { code: 451, message: '4.2.0 Mailbox busy' }

/** A log that keeps its warnings. */
function warnings() {
  const lines: [string, unknown][] = []
  const log: Log = { ...silentLog, warn: (message, fields) => void lines.push([message, fields]), with: () => log }
  return { log, lines }
}

describe.each(STORES)('an engine on $name', ({ store }) => {
  it('sends everything before it stops with `drain`', async () => {
    const { log, lines } = warnings()
    const { engine, project, sink } = await engineWithSink({ store: store(), log })
    const to = Array.from({ length: 150 }, (_, i) => `p${i}@example.org`)
    await engine.sending.send(project, { ...MAIL, to: to.slice(0, 100) })
    await engine.start()
    await engine.sending.send(project, { ...MAIL, to: to.slice(100) })
    await engine.stop({ drain: true })
    expect(sink.messages.flatMap((mail) => mail.to).toSorted()).toEqual(to.toSorted())
    expect(lines).toEqual([])
  })

  it('is idle when mails, events, listeners, webhooks, workflows and campaigns are done, and not before', async () => {
    const receiver = await startReceiver((_request, response) => void setTimeout(() => response.end('ok'), 200))
    const { engine, project, sink } = await engineWithSink({
      store: store(),
      egress: { allow: ['127.0.0.0/8'] },
    })
    const heard: string[] = []
    engine.on('*', async ({ name }) => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      heard.push(name)
    })
    await engine.webhooks.create(project, { url: receiver.url, events: ['email.delivery'] })
    const { workflow, steps } = await engine.workflows.create(project, { name: 'Welcome', eventName: 'signed_up' })
    await engine.workflows.addStep(project, workflow.id, {
      type: 'SEND_EMAIL',
      afterStepId: steps[0]!.id,
      config: { ...MAIL, subject: 'Welcome' },
    })
    await engine.workflows.change(project, workflow.id, { enabled: true })
    await engine.start()
    await engine.events.track(project, { email: 'ada@example.org', event: 'signed_up', subscribed: true })
    const { campaign } = await engine.campaigns.create(project, { ...MAIL, name: 'News', audienceType: 'ALL' })
    await engine.campaigns.send(project, campaign.id)
    await engine.idle()
    expect(sink.messages).toHaveLength(2)
    expect(receiver.requests).toHaveLength(2)
    expect((await engine.campaigns.get(project, campaign.id)).campaign.status).toBe('SENT')
    expect(heard.filter((name) => name === 'email.delivery')).toHaveLength(2)
    const { items } = await engine.workflows.executions.list(project, workflow.id)
    expect(items).toMatchObject([{ execution: { status: 'COMPLETED' } }])
  })

  it('names what still waits when the time is over, and goes on with it', async () => {
    const held = Promise.withResolvers<void>()
    const { engine, project, sink } = await engineWithSink(
      { store: store() },
      {
        server: {
          onData(stream, _session, callback) {
            stream.resume()
            stream.on('end', () => void held.promise.then(() => callback()))
          },
        },
      },
    )
    await engine.start()
    const { answer } = await engine.sending.send(project, { ...MAIL, to: ['a@example.org', 'b@example.org'] })
    await expect(engine.idle({ timeoutMs: 300 })).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: 'After 300 ms these still wait: 2 e-mails.',
    })
    const id = answer.emails[0]!.email
    await expect(engine.sending.delivered(project, id, { timeoutMs: 50 })).rejects.toMatchObject({
      message: `After 50 ms the e-mail ${id} is still SENDING.`,
    })
    held.resolve()
    expect(await engine.sending.delivered(project, id)).toMatchObject({ status: 'DELIVERED', to: 'a@example.org' })
    await engine.idle()
    expect(sink.open).toBeLessThanOrEqual(2)
  })

  it('warns of mail that it leaves behind', async () => {
    const { log, lines } = warnings()
    const { engine, project } = await engineWithSink({ store: store(), log })
    await engine.sending.send(project, { ...MAIL, to: ['a@example.org', 'b@example.org'] })
    const later = new Date(Date.now() + 60_000).toISOString()
    await engine.sending.send(project, { ...MAIL, to: 'c@example.org', scheduledFor: later })
    await engine.stop()
    const why = 'since it was never started (engine.start); it is sent after the next start'
    expect(lines).toEqual([[`the engine stops with mail that is due, ${why}`, { due: 2 }]])
  })

  it('does not wait for what is due later: retries and scheduled mail', async () => {
    const { log, lines } = warnings()
    const { engine, project } = await engineWithSink(
      { store: store(), log, delivery: { retryDelays: [60] } },
      { recipients: { 'busy@example.org': BUSY, 'gone@example.org': { code: 550, message: '5.1.1 No such user' } } },
    )
    await engine.start()
    const { answer } = await engine.sending.send(project, { ...MAIL, to: ['busy@example.org', 'gone@example.org'] })
    const [busy, gone] = answer.emails.map(({ email }) => email)
    await engine.idle()
    expect((await engine.mails.get(project, busy!)).email).toMatchObject({ status: 'QUEUED', attempts: 1 })
    expect(await engine.sending.delivered(project, gone!)).toMatchObject({ status: 'BOUNCED' })
    await expect(engine.sending.delivered(project, busy!, { timeoutMs: 20 })).rejects.toMatchObject({
      message: expect.stringContaining('is still QUEUED, due at 2'),
      suggestion: expect.stringContaining('451 4.2.0 Mailbox busy'),
    })
    await engine.stop({ drain: true })
    expect(lines).toEqual([])
  })
})

describe('waiting for an engine', () => {
  it('is refused where nothing would ever be sent', async () => {
    const { engine } = await engineWithSink({ store: sqlite({ file: ':memory:' }) })
    await expect(engine.idle()).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'This engine has not been started, so that it sends nothing: call engine.start() first.',
    })
    await engine.start()
    await engine.idle({ timeoutMs: 2 ** 31 - 1 })
    for (const timeoutMs of [-1, 2 ** 31, Number.NaN, '5'] as number[])
      await expect(engine.idle({ timeoutMs })).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        fields: [{ field: 'timeoutMs' }],
      })
    await expect(engine.stop({ drian: true } as object)).rejects.toMatchObject({ fields: [{ field: 'drian' }] })
    await engine.idle()
    await engine.stop()
    await expect(engine.idle()).rejects.toMatchObject({ code: 'CONFLICT', message: 'This engine was stopped.' })
  })

  it('ends with the signal of the caller, and when the engine stops', async () => {
    const { engine, project } = await engineWithSink({ store: sqlite({ file: ':memory:' }) })
    await engine.start()
    const held = Promise.withResolvers<void>()
    engine.on('*', () => held.promise)
    await engine.events.track(project, { email: 'ada@example.org', event: 'signed_up' })
    await expect(engine.idle({ signal: AbortSignal.abort(new Error('mine')) })).rejects.toThrow('mine')
    const ending = new AbortController()
    const [first, second] = [engine.idle({ signal: ending.signal }), engine.idle()]
    ending.abort(new Error('enough'))
    await expect(first).rejects.toThrow('enough')
    await expect(engine.idle({ timeoutMs: 100 })).rejects.toThrow('listeners that have not taken all events')
    const stopped = engine.stop(50)
    await expect(second).rejects.toThrow('The engine was stopped before everything was done.')
    held.resolve()
    await stopped
  })

  it('says of an unknown mail that there is none', async () => {
    const { engine, project } = await engineWithSink({ store: sqlite({ file: ':memory:' }) })
    await expect(engine.sending.delivered(project, 'none')).rejects.toMatchObject({ code: 'EMAIL_NOT_FOUND' })
  })
})
