import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { freshDatabase } from '../support/fresh-database.ts'
import { COMPILE_CACHE } from '../support/server-process.ts'
import { allArrive, makeFleet, repeats, send, sendMany } from './fleet.ts'

const MAIN = fileURLToPath(new URL('../../dist/server/main.js', import.meta.url))

it('has its projects from the config all at once, serves of a worker the health and nothing else, and sends mail at once that another process has accepted', async () => {
  const fleet = await makeFleet(await freshDatabase())
  const [api, worker] = await Promise.all([fleet.start('api'), fleet.start('worker'), fleet.start('api')])
  const health = (url: string) => fetch(`${url}/health`).then((response) => response.json())
  await expect
    .poll(() => health(api.url), { timeout: 15_000 })
    .toEqual({ status: 'ok', parts: { store: 'ok', queue: 'ok' } })
  const parts = { store: 'ok', queue: 'ok', worker: 'ok', scheduler: 'ok', transports: 'ok' }
  await expect.poll(() => health(worker.url), { timeout: 15_000 }).toEqual({ status: 'ok', parts })
  expect((await send(worker, 'user@example.org'))?.status).toBe(404)
  await send(api, 'first@example.org')
  await fleet.sink.waitFor(1, 30)
  const waits: number[] = []
  for (let i = 0; i < 10; i++) {
    // Anything the worker does by the clock falls elsewhere each time.
    await pause(130 + 37 * i)
    const start = performance.now()
    expect(await send(api, `user${i}@example.org`)).toMatchObject({ status: 200 })
    await fleet.sink.waitFor(i + 2, 30)
    waits.push(performance.now() - start)
  }
  expect(Math.max(...waits)).toBeLessThan(1_000)
  // Looking every second would take half a second on average.
  expect(waits.sort((a, b) => a - b)[5]).toBeLessThan(250)
}, 180_000)

it('ends with 0 at SIGTERM, with every mail either sent or left for others', async () => {
  const fleet = await makeFleet(await freshDatabase())
  const stops = await fleet.start('all')
  const sent = sendMany(stops, 500)
  await fleet.sink.waitFor(100, 60)
  expect(await stops.stop()).toBe(0)
  const accepted = await sent
  const { waiting, sending, sent: done } = await fleet.ledger()
  expect([sending, done]).toEqual([0, fleet.sink.messages.length])
  // Else it was not in the middle of it.
  expect(waiting).toBeGreaterThan(0)

  await fleet.start('all')
  await allArrive(fleet.sink, accepted, 60_000)
  expect(repeats(fleet.sink)).toEqual({ mails: 0, withOtherIds: 0 })
}, 180_000)

it.each([
  [
    ['--role', 'worker'],
    78,
    /^Role worker is not possible with store-sqlite: it serves a single process, whose role is all\.\n$/,
  ],
  [
    ['--role', 'boss'],
    64,
    /^option '--role <role>' argument 'boss' is invalid\. Allowed choices are all, api, worker\.\n$/,
  ],
])('refuses %j without a shared database', (args, exitCode, said) => {
  const folder = mkdtempSync(join(tmpdir(), 'mailwright-role-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const { status, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
    cwd: folder,
    env: { ...COMPILE_CACHE, PUBLIC_URL: 'https://mail.example.com' },
    encoding: 'utf8',
  })
  expect(status).toBe(exitCode)
  expect(stderr).toMatch(said)
})
