import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { freshDatabase } from '../support/fresh-database.ts'
import { allArrive, makeFleet, repeats, send, sendMany } from './fleet.ts'

it('sends mail at once that another process has accepted', async () => {
  const fleet = await makeFleet(await freshDatabase())
  const [api] = await Promise.all([fleet.start('api'), fleet.start('worker')])
  await send(api, 'first@example.org')
  await fleet.sink.waitFor(1)
  const waits: number[] = []
  for (let i = 0; i < 10; i++) {
    // Anything the worker does by the clock falls elsewhere each time.
    await pause(130 + 37 * i)
    const start = performance.now()
    expect(await send(api, `user${i}@example.org`)).toMatchObject({ status: 200 })
    await fleet.sink.waitFor(i + 2)
    waits.push(performance.now() - start)
  }
  expect(Math.max(...waits)).toBeLessThan(1_000)
  // Looking every second would take half a second on average.
  expect(waits.sort((a, b) => a - b)[5]).toBeLessThan(250)
}, 60_000)

it('ends with 0 at SIGTERM, with every mail either sent or left for others', async () => {
  const fleet = await makeFleet(await freshDatabase())
  const stops = await fleet.start('all')
  const sent = sendMany(stops, 1_000)
  await fleet.sink.waitFor(200, 30)
  expect(await stops.stop()).toBe(0)
  const accepted = await sent
  const { waiting, sending, sent: done } = await fleet.ledger()
  expect([sending, done]).toEqual([0, fleet.sink.messages.length])
  // Else it was not in the middle of it.
  expect(waiting).toBeGreaterThan(0)

  await fleet.start('all')
  await allArrive(fleet.sink, accepted, 20_000)
  expect(repeats(fleet.sink)).toEqual({ mails: 0, withOtherIds: 0 })
}, 60_000)

it('serves the health of a worker and nothing else, and its projects come from the config all at once', async () => {
  const fleet = await makeFleet(await freshDatabase())
  const [api, worker] = await Promise.all([fleet.start('api'), fleet.start('worker'), fleet.start('api')])
  const health = async (url: string) => (await fetch(`${url}/health`)).json()
  expect(await health(api.url)).toMatchObject({ parts: { store: 'ok', queue: 'ok' } })
  expect(await health(worker.url)).toEqual({
    status: 'ok',
    parts: { store: 'ok', queue: 'ok', worker: 'ok', scheduler: 'ok' },
  })
  expect((await send(worker, 'user@example.org'))?.status).toBe(404)
}, 60_000)
