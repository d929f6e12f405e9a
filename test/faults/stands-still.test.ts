import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, type TestContext } from 'vitest'
import { LOOK_MS, type Sight, Standstill } from '../../server/process/standstill.ts'
import { MAIN, startServerProcess } from '../support/server-process.ts'
import { until } from '../support/until.ts'

const SECRET = `sk_${'c'.repeat(48)}`
const LIBRARY = new URL('../config/library.js', `file://${MAIN}`).href

/** A transport that keeps the main thread while it sends. */
const PLUGIN = `
  import { definePlugin } from ${JSON.stringify(LIBRARY)}
  const holds = {
    match() { /(a+)+$/.test('a'.repeat(60) + '!') },
    waitForEver() { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0) },
    // of a core, even if other work wants it
    countFor7s() {
      const used = () => Object.values(process.threadCpuUsage()).reduce((sum, us) => sum + us)
      for (const begun = used(); used() - begun < 7_000_000; );
    },
  }
  export default definePlugin({
    name: 'mail-held',
    provides: ['transport'],
    open: ({ how }) => ({
      transport: {
        concurrency: 1,
        async check() {},
        async send() {
          console.log('HELD')
          await new Promise((resolve) => setTimeout(resolve, 50))
          holds[how]()
          return { outcome: 'accepted', id: 'x' }
        },
      },
    }),
  })`

/** `finished` is that of the test's own context, since the tests run side by side. */
async function heldServer(how: string, finished: TestContext['onTestFinished']) {
  const folder = mkdtempSync(join(tmpdir(), 'mailwright-held-'))
  writeFileSync(join(folder, 'held.mjs'), PLUGIN)
  const server = await startServerProcess(folder, {
    projects: [{ name: 'Held', secretKey: SECRET, trustedDomains: ['acme.example'] }],
    transports: [{ use: './held.mjs', options: { how } }],
  })
  finished(async () => {
    if (server.child.exitCode === null && server.child.signalCode === null) await server.kill()
    rmSync(folder, { recursive: true, force: true })
  })
  const ended = once(server.child, 'close')
  const hold = async () => {
    const mail = { to: 'ada@example.org', from: 'hi@acme.example', subject: 'Hi', body: '<p>Hi</p>' }
    const headers = { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' }
    const sent = await fetch(`${server.url}/v1/send`, { method: 'POST', headers, body: JSON.stringify(mail) })
    expect(sent.status).toBe(200)
    await until('the main thread is held', () => server.output().includes('HELD'))
    await pause(500)
  }
  const isLive = async () => (await fetch(`${server.url}/health/live`)).status
  return { ...server, ended, hold, isLive }
}

describe.concurrent('a server whose main thread stands still', { timeout: 120_000 }, () => {
  it('ends within some seconds with its stack in the log, and so does one that is told to end', async ({
    onTestFinished,
  }) => {
    const how = 'match'
    const { child, ended, hold, output } = await heldServer(how, onTestFinished)
    await hold()
    const begun = performance.now()
    child.kill('SIGTERM')
    expect(await ended).toEqual([null, 'SIGKILL'])
    expect(performance.now() - begun).toBeGreaterThan(7_000)
    const lines = output().split('\n')
    const [report] = lines.filter((line) => line.includes('stands still'))
    expect(JSON.parse(report ?? '')).toMatchObject({
      level: 'warn',
      stack: expect.stringContaining(`at ${how} (file:`),
    })
    expect(lines.filter((line) => line.includes('the process is ended'))).toHaveLength(1)
  })

  it('without doing anything ends later, since it may be a slow disk', async ({ onTestFinished }) => {
    const { ended, hold, output } = await heldServer('waitForEver', onTestFinished)
    await hold()
    const begun = performance.now()
    expect(await ended).toEqual([null, 'SIGKILL'])
    expect(performance.now() - begun).toBeGreaterThan(25_000)
    expect(output()).toContain('waitForEver')
  })

  it('for some seconds is reported, goes on, and hears what it was told meanwhile', async ({ onTestFinished }) => {
    const { child, ended, hold, output } = await heldServer('countFor7s', onTestFinished)
    await hold()
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
    expect(output()).toContain('countFor7s')
    expect(output()).not.toContain('the process is ended')
  })

  it('because the process is stopped goes on when it may', async ({ onTestFinished }) => {
    const { child, isLive, output, stop } = await heldServer('match', onTestFinished)
    child.kill('SIGSTOP')
    await pause(35_000)
    child.kill('SIGCONT')
    expect(await isLive()).toBe(200)
    await pause(2 * LOOK_MS)
    expect(output()).not.toContain('still')
    expect(await stop()).toBe(0)
  })
})

describe('the judgement on a main thread that does not turn', () => {
  const judged = (sights: readonly Sight[]) => {
    const standstill = new Standstill()
    return sights.map((sight) => standstill.look(sight)).lastIndexOf('end') * LOOK_MS
  }
  const looks = (change: (i: number) => Partial<Sight>, count = 200) =>
    Array.from({ length: count }, (_, i) => ({ turns: 1, at: i * LOOK_MS, isDebugged: false, ...change(i) }))

  it.each([
    ['ends one that works', looks((i) => ({ worked: i * LOOK_MS, queued: 0 }), 21), 10_000],
    ['ends one that waits, later', looks(() => ({ worked: 0, queued: 0 }), 61), 30_000],
    ['ends one of which the system says nothing', looks(() => ({}), 61), 30_000],
    [
      'ends one with half a core when it has worked enough',
      looks((i) => ({ worked: i * 250, queued: i * 250 }), 41),
      20_000,
    ],
    ['leaves one that gets no core', looks((i) => ({ worked: 0, queued: i * LOOK_MS })), -LOOK_MS],
    ['leaves one that turns', looks((i) => ({ turns: Math.floor(i / 15), worked: i * LOOK_MS })), -LOOK_MS],
    ['leaves one in a debugger', looks((i) => ({ isDebugged: true, worked: i * LOOK_MS })), -LOOK_MS],
    [
      'leaves one of a machine that sleeps again and again',
      looks((i) => ({ turns: Math.floor(i / 8), at: i * 3_600_000 })),
      -LOOK_MS,
    ],
  ])('%s', (_what, sights, end) => {
    expect(judged(sights)).toBe(end)
  })
})
