import { setTimeout as pause } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { startPostgres } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { type Answer, allArrive, makeFleet, repeats, send } from './fleet.ts'

it('answers 503 while PostgreSQL is away, recovers by itself, and loses and doubles nothing it has accepted', async () => {
  const postgres = await startPostgres({ own: true })
  onTestFinished(() => postgres.stop())
  const fleet = await makeFleet(await postgres.database())
  const api = await fleet.start('api')
  const worker = await fleet.start('worker')

  const accepted: string[] = []
  const refused: Answer[] = []
  let loading = true
  let next = 0
  const sender = async () => {
    while (loading) {
      const to = `user${next++}@example.org`
      const answer = await send(api, to)
      if (answer?.status === 200) accepted.push(to)
      else if (answer) refused.push(answer)
      // hundreds a second are enough to be in the middle of something
      await pause(answer?.status === 200 ? 25 : 100)
    }
  }
  const senders = Array.from({ length: 10 }, sender)
  await fleet.sink.waitFor(100, 60)
  await postgres.restart(async () => {
    const before = refused.length
    await until('requests are refused', () => refused.length > before, 30_000)
    for (const { url } of [api, worker]) {
      const health = await fetch(`${url}/health`)
      expect([health.status, health.headers.get('retry-after')]).toEqual([503, '5'])
      expect(await health.json()).toMatchObject({ status: 'down', parts: { store: 'down', queue: 'down' } })
      expect((await fetch(`${url}/health/live`)).status).toBe(200)
    }
  })
  const atRestart = accepted.length
  await until('mail is accepted again', () => accepted.length > atRestart + 100, 60_000)
  loading = false
  await Promise.all(senders)

  for (const answer of refused) expect(answer).toEqual({ status: 503, retryAfter: '5' })
  await allArrive(fleet.sink, accepted, 90_000)
  expect(repeats(fleet.sink)).toEqual({ mails: 0, withOtherIds: 0 })
  for (const { url } of [api, worker]) {
    await expect.poll(async () => (await fetch(`${url}/health`)).status, { timeout: 30_000 }).toBe(200)
  }
  expect([await api.stop(), await worker.stop()]).toEqual([0, 0])
}, 240_000)
