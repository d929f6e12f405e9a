import { setTimeout as pause } from 'node:timers/promises'
import nodeCron from 'node-cron'
import { describe, expect, it, vi } from 'vitest'
import type { Log } from '../../core/ports/log.ts'
import { cron } from '../../plugins/scheduler-cron/index.ts'
import { schedulerContract } from '../contracts/scheduler.ts'
import { until } from '../support/until.ts'

describe('the cron scheduler', () => {
  schedulerContract(async () => {
    const { scheduler } = await open()
    return { scheduler, other: undefined, close: () => scheduler.stop() }
  })

  describe.concurrent('by itself', () => {
    it('logs what a task throws, with the name of the task', async () => {
      const { scheduler, lines } = await open()
      const run = async () => Promise.reject(new Error('no disk'))
      await scheduler.start([{ name: 'sweep', cron: '* * * * * *', run }])
      await until('the failed tick is logged', () => lines.length > 0)
      await scheduler.stop()
      expect(lines[0]).toBe('error scheduler: sweep failed and runs again at its next tick | no disk')
    })

    it('sets no task when one expression is wrong, and says which', async () => {
      const { scheduler } = await open()
      let runs = 0
      const run = async () => void runs++
      const tasks = [
        { name: 'right', cron: '* * * * * *', run },
        { name: 'wrong', cron: '* * 99 * *', run },
      ]
      await expect(scheduler.start(tasks)).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        message: expect.stringMatching(/^scheduler: wrong: "\* \* 99 \* \*": /),
      })
      await pause(1100)
      expect(runs).toBe(0)
      await scheduler.stop()
    })

    it('leaves nothing in the library', async () => {
      const { scheduler } = await open()
      await scheduler.start([{ name: 'to be forgotten', cron: '59 23 31 12 *', run: async () => {} }])
      expect(nodeCron.getTasks().size).toBe(0)
      await scheduler.stop()
    })

    it('starts only once', async () => {
      const { scheduler } = await open()
      await scheduler.start([])
      await expect(scheduler.start([])).rejects.toMatchObject({ code: 'CONFLICT' })
      await scheduler.stop()
      await expect(scheduler.start([])).rejects.toMatchObject({ code: 'CONFLICT' })
    })
  })

  it('fails the check when a tick of every second hangs for 10 seconds', async () => {
    const { scheduler } = await open()
    let ticks = 0
    const run = (signal: AbortSignal) => new Promise<void>((done) => signal.addEventListener('abort', () => done()))
    await scheduler.start([
      { name: 'ticks', cron: '* * * * * *', run: async () => void ticks++ },
      { name: 'hangs', cron: '* * * * * *', run },
    ])
    await until('both have had a tick', () => ticks > 0)
    await expect(scheduler.check()).resolves.toBeUndefined()
    const now = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => now() + 10_500)
    try {
      const before = ticks
      await until('one has had another', () => ticks > before)
      await expect(scheduler.check()).rejects.toThrow(/^scheduler: hangs had no tick for 1\d s$/)
    } finally {
      vi.restoreAllMocks()
      await scheduler.stop()
    }
  })

  it('makes up for a tick that came while the process was busy', async () => {
    const { scheduler } = await open()
    const late: number[] = []
    const due = Math.ceil((Date.now() + 50) / 1000) * 1000
    const run = async () => void late.push(Date.now())
    await scheduler.start([{ name: 'once a minute', cron: `${new Date(due).getUTCSeconds()} * * * * *`, run }])
    // Holds the event loop up until the tick is two seconds late.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, due + 2010 - Date.now())
    await until('the tick is made up for', () => late.length > 0)
    await scheduler.stop()
    expect(late).toHaveLength(1)
  })
})

async function open() {
  const lines: string[] = []
  const at = (level: string) => (message: string, fields?: { error?: unknown }) => {
    const { error } = fields ?? {}
    if (level !== 'debug') lines.push(`${level} ${message}${error instanceof Error ? ` | ${error.message}` : ''}`)
  }
  const log: Log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), with: () => log }
  const { scheduler } = await cron().open({ log, clock: { now: () => new Date() } })
  return { scheduler, lines }
}
