import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { systemClock } from '../../core/ports/clock.ts'
import { silentLog } from '../../core/ports/log.ts'
import { postgresQueue } from '../../plugins/queue-postgres/index.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { type PgBouncer, startPgBouncer } from '../support/pgbouncer.ts'
import { allArrive, CONNECTIONS, makeFleet, repeats, sendMany } from './fleet.ts'

let pooler: PgBouncer

beforeAll(async () => {
  pooler = await startPgBouncer(inject('postgresUrl'))
})
afterAll(() => pooler.stop())

it('workers behind it send all mail, and take over at once what one of them left when it was killed', async () => {
  const url = await freshDatabase()
  const fleet = await makeFleet(url, {})
  const start = (role: 'api' | 'worker') =>
    fleet.start(role, pooler.through(url), { queue: { use: 'postgres', options: { url } } })
  const [api, one] = await Promise.all([start('api'), start('worker'), start('worker')])
  const sent = sendMany(api, 600)
  await fleet.sink.waitFor(100, 60)
  await one.kill()
  await allArrive(fleet.sink, await sent, 60_000)
  const { mails, withOtherIds } = repeats(fleet.sink)
  expect(mails).toBeLessThanOrEqual(CONNECTIONS)
  expect(withOtherIds).toBe(0)
}, 180_000)

describe('the PostgreSQL queue', () => {
  const open = (url: string) => postgresQueue({ url }).open({ log: silentLog, clock: systemClock })

  it('is refused behind a pooler in transaction mode, which loses its notices', async () => {
    await expect(open(pooler.through(await freshDatabase()))).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/^queue\.options\.url: leads to a pooler in transaction mode/),
    })
  })

  it('works behind one in session mode', async () => {
    const sessions = await startPgBouncer(inject('postgresUrl'), 'session')
    try {
      const { queue, close } = await open(sessions.through(await freshDatabase()))
      const woken = Promise.withResolvers<void>()
      await queue.listen(['mail'], async () => woken.resolve())
      await queue.ring('mail')
      await woken.promise
      await close?.()
    } finally {
      await sessions.stop()
    }
  })
})
