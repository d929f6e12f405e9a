import { describe, expect, it } from 'vitest'
import { systemClock } from '../../core/ports/clock.ts'
import { postgresQueue } from '../../plugins/queue-postgres/index.ts'
import { postgresScheduler } from '../../plugins/scheduler-postgres/index.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { engineWithSink } from '../support/engine.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { until } from '../support/until.ts'

const HOUR = 3_600_000

describe.each([
  { name: 'SQLite', parts: async () => ({}) },
  {
    name: 'PostgreSQL',
    parts: async () => {
      const url = await freshDatabase()
      return { store: postgres({ url }), queue: postgresQueue({ url }), scheduler: postgresScheduler({ url }) }
    },
  },
])('a clock that is set back, on $name', ({ parts }) => {
  it('keeps neither mail nor a DELAY waiting that was put off before it was set back', async () => {
    let off = 0
    const clock = { now: () => new Date(systemClock.now().getTime() + off) }
    const settings = { ...(await parts()), clock, delivery: { retryDelays: [8, 8, 8] } }
    let isBusy = true
    const judge = () => (isBusy ? { code: 451, message: '4.2.0 Mailbox busy' } : undefined)
    const { engine, project, sink } = await engineWithSink(settings, { judge })
    await engine.start()
    const { workflow, steps } = await engine.workflows.create(project, { name: 'Late', eventName: 'asked' })
    const config = { amount: 8, unit: 'seconds' } as const
    await engine.workflows.addStep(project, workflow.id, { type: 'DELAY', config, afterStepId: steps[0]!.id })
    await engine.workflows.change(project, workflow.id, { enabled: true })
    await engine.events.track(project, { event: 'asked', email: 'ada@example.org' })
    const mail = { to: 'ada@example.org', from: 'hello@example.com', subject: 'Hi', body: '<p>Hi</p>' }
    const id = (await engine.sending.send(project, mail)).answer.emails[0]!.email
    await until('it was put off', async () => (await engine.mails.get(project, id)).email.error, 20_000)
    const standing = async (status: 'WAITING' | 'COMPLETED') =>
      (await engine.workflows.executions.list(project, workflow.id, { status })).items.length === 1
    await until('it waits', () => standing('WAITING'), 20_000)
    off = -HOUR
    isBusy = false
    await sink.waitFor(1, 30)
    await until('the delay has ended', () => standing('COMPLETED'), 30_000)
    expect((await engine.health()).ok).toBe(true)
  }, 60_000)
})
