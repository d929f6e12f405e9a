import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { ScheduledTask, Scheduler } from '../../core/ports/scheduler.ts'
import { PATIENT } from './patient.ts'
import { setClock } from './set-clock.ts'
import { activeTimers, ended } from './timers.ts'

/** The subject of the scheduler contract: a fresh one, not started, for every test. */
export interface SchedulerSubject {
  readonly scheduler: Scheduler
  /** Another process's scheduler over the same store; undefined for one that serves a single process. */
  readonly other: (() => Promise<Scheduler>) | undefined
  /** Stops the scheduler if it still runs and clears up. */
  close(): Promise<void>
}

/**
 * The promises of every scheduler. The tests watch real seconds go by, about six in all, and run side by side: `setup`
 * is called several times at once.
 */
export function schedulerContract(setup: () => Promise<SchedulerSubject>) {
  describe('a scheduler', PATIENT, () => promises(setup))
}

function promises(setup: () => Promise<SchedulerSubject>) {
  const zone = process.env.TZ
  const within = async (work: (scheduler: Scheduler, other: SchedulerSubject['other']) => Promise<void>) => {
    const { scheduler, other, close } = await setup()
    await work(scheduler, other).finally(close)
  }
  const soon = (check: () => void) => vi.waitFor(check, { timeout: 6000, interval: 5 })

  beforeAll(() => {
    // Half an hour beside the full hours, so that neither hours nor minutes of local time pass for those of UTC.
    process.env.TZ = 'Asia/Kolkata'
  })
  afterAll(() => {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  })

  describe.concurrent('the clockwork', () => {
    it('runs a task at every turn, also after it threw', () =>
      within(async (scheduler) => {
        const turns: number[] = []
        const tick = task('tick', '* * * * * *', async () => {
          turns.push(Date.now())
          if (turns.length === 1) throw new Error('the first turn fails')
        })
        const blunder = task('blunder', '* * * * * *', () => {
          throw new Error('before the first await')
        })
        await scheduler.start([tick, blunder])
        await soon(() => expect(turns.length).toBeGreaterThanOrEqual(3))
        expect(turns[2]! - turns[0]!).toBeGreaterThan(1500)
        expect(turns[2]! - turns[0]!).toBeLessThan(3500)
      }))

    it('never runs a task while it still runs, and leaves the missed turns out', () =>
      within(async (scheduler) => {
        let running = 0
        let most = 0
        const begun: number[] = []
        const slow = task('slow', '* * * * * *', async () => {
          begun.push(Date.now())
          most = Math.max(most, ++running)
          await new Promise((done) => setTimeout(done, 1050))
          running--
        })
        const other: number[] = []
        const quick = task('quick', '* * * * * *', async () => void other.push(Date.now()))
        await scheduler.start([slow, quick])
        await soon(() => expect(begun).toHaveLength(2))
        expect(most).toBe(1)
        expect(begun[1]! - begun[0]!).toBeGreaterThan(1050)
        expect(other.length).toBeGreaterThanOrEqual(2)
      }))

    it('does not make up for turns that came while a task ran', () =>
      within(async (scheduler) => {
        let [quick, ended] = [0, 0]
        const again = Promise.withResolvers<number>()
        const slow = task('slow', '* * * * * *', async () => {
          if (ended > 0) return again.resolve(performance.now() - ended)
          const begun = quick
          while (quick < begun + 2) await new Promise((done) => setTimeout(done, 10))
          // away from the turn, so that a task which begins now was not due now
          await new Promise((done) => setTimeout(done, 300))
          ended = performance.now()
        })
        await scheduler.start([slow, task('quick', '* * * * * *', async () => void quick++)])
        expect(await again.promise).toBeGreaterThan(200)
      }))

    it('reads steps, ranges and lists', () =>
      within(async (scheduler) => {
        const ticks: Record<string, number> = {}
        const count = (cron: string) => {
          ticks[cron] = (ticks[cron] ?? 0) + 1
        }
        const crons = ['* * * * * *', '0-59 * * * * *', '*/1 * * * * *', '0-29,30-59 * * * * *', '*/2 * * * * *']
        await scheduler.start(crons.map((cron) => task(cron, cron, async () => void count(cron))))
        await soon(() => expect(ticks['* * * * * *']).toBeGreaterThanOrEqual(4))
        for (const cron of crons) expect(ticks[cron], cron).toBeGreaterThan(0)
        expect(ticks['*/2 * * * * *']).toBeLessThan(4)
      }))

    it('reads expressions in UTC, whatever the local time zone is', () =>
      within(async (scheduler) => {
        const now = new Date()
        const soonest = new Date(now.getTime() + 60_000)
        const hours = new Set([now.getUTCHours(), soonest.getUTCHours()])
        const minutes = new Set([now.getUTCMinutes(), soonest.getUTCMinutes()])
        expect([...minutes]).not.toContain(now.getMinutes())
        let [universal, local] = [0, 0]
        await scheduler.start([
          task('universal', `* ${[...minutes]} ${[...hours]} * * *`, async () => void universal++),
          task('local', `* ${now.getMinutes()} * * * *`, async () => void local++),
        ])
        await soon(() => expect(universal).toBeGreaterThan(0))
        expect(local).toBe(0)
      }))

    it('does not run a task whose time has not come, also with five fields', () =>
      within(async (scheduler) => {
        const far = (new Date().getUTCMonth() + 6) % 12
        let [early, due] = [0, 0]
        await scheduler.start([
          task('early', `* * 1 ${far + 1} *`, async () => void early++),
          task('due', '* * * * * *', async () => void due++),
        ])
        await soon(() => expect(due).toBeGreaterThan(0))
        expect(early).toBe(0)
      }))

    it('aborts the running task at stop, waits for its end and begins no further turn', () =>
      within(async (scheduler) => {
        const events: string[] = []
        const long = task('long', '* * * * * *', async (signal) => {
          events.push(`begun, aborted: ${signal.aborted}`)
          await new Promise((done) => signal.addEventListener('abort', done))
          await new Promise((done) => setTimeout(done, 30))
          events.push(`ended, aborted: ${signal.aborted}`)
          throw new Error('it was broken off')
        })
        let ticks = 0
        await scheduler.start([long, task('tick', '* * * * * *', async () => void ticks++)])
        await soon(() => expect([events.length, ticks]).toEqual([1, 1]))
        await scheduler.stop()
        expect(events).toEqual(['begun, aborted: false', 'ended, aborted: true'])
        const stopped = ticks
        await new Promise((done) => setTimeout(done, 1100))
        expect([events.length, ticks]).toEqual([2, stopped])
      }))

    it('runs each tick in one of several processes, and in another when that one stops', () =>
      within(async (scheduler, other) => {
        if (other === undefined) return
        const second = await other()
        try {
          const ticks: { readonly by: string; readonly second: number }[] = []
          const tick = (by: string) =>
            task('tick', '* * * * * *', async () => void ticks.push({ by, second: Math.round(Date.now() / 1000) }))
          await scheduler.start([tick('first')])
          await second.start([tick('second')])
          await Promise.all([scheduler.check(), second.check()])
          await soon(() => expect(ticks.length).toBeGreaterThanOrEqual(3))
          expect(new Set(ticks.map((each) => each.second)).size).toBe(ticks.length)
          const one = ticks.at(-1)?.by === 'first' ? scheduler : second
          const left = one === scheduler ? 'second' : 'first'
          await one.stop()
          const stopped = ticks.length
          await soon(() => expect(ticks.length).toBeGreaterThan(stopped))
          expect(ticks.slice(stopped).every(({ by }) => by === left)).toBe(true)
        } finally {
          await second.stop()
        }
      }))

    it('passes the check only while it runs', () =>
      within(async (scheduler) => {
        await expect(scheduler.check()).rejects.toThrow()
        await scheduler.start([task('never', '0 0 1 1 *', async () => {})])
        await expect(scheduler.check()).resolves.toBeUndefined()
        await scheduler.stop()
        await expect(scheduler.check()).rejects.toThrow()
      }))

    it('can be stopped before it was started, and twice', () =>
      within(async (scheduler) => {
        await scheduler.stop()
        await scheduler.stop()
      }))

    it('refuses a wrong expression by the name of its task', () =>
      within(async (scheduler) => {
        let ticks = 0
        const right = task('right', '* * * * * *', async () => void ticks++)
        const wrong = task('recovery', '61 * * * *', async () => {})
        await expect(scheduler.start([right, wrong])).rejects.toThrow('recovery')
        // and runs none of the others either
        await new Promise((done) => setTimeout(done, 1100))
        expect(ticks).toBe(0)
      }))
  })
  // not beside the others, whose timers come and go
  it('leaves no timer that keeps the process running, once it is stopped', async () => {
    const before = activeTimers()
    for (let i = 0; i < 6; i++)
      await within(async (scheduler) => {
        await scheduler.start([task('tick', '* * * * * *', async () => {})])
        await scheduler.stop()
      })
    await ended(before)
  })

  // by itself: it sets the clock of the whole process
  it(
    'runs a task at a time of day by the wall clock, set back or forth, and keeps the turns of every second',
    () =>
      within(async (scheduler) => {
        let turns = 0
        const ran: string[] = []
        const at = (name: string, ahead: number) => {
          const moment = new Date(Date.now() + ahead)
          const cron = `${moment.getUTCSeconds()} ${moment.getUTCMinutes()} ${moment.getUTCHours()} * * *`
          return task(name, cron, async () => void ran.push(name))
        }
        await scheduler.start([
          task('tick', '* * * * * *', async () => void turns++),
          at('soon', 1_500),
          at('in an hour', HOUR + 1_500),
        ])
        for (const off of [-HOUR, HOUR, -24 * HOUR]) {
          setClock(off)
          await soon(() => expect(turns).toBeGreaterThan(0))
          const before = turns
          await new Promise((done) => setTimeout(done, 2_050))
          expect(turns - before).toBeGreaterThanOrEqual(1)
          expect(turns - before).toBeLessThanOrEqual(3)
          if (off < 0 && off > -24 * HOUR) expect(ran, 'an hour before its time').toEqual([])
          // a minute late at most
          if (off > 0) await vi.waitFor(() => expect(ran).toContain('in an hour'), { timeout: 62_000, interval: 20 })
        }
      }),
    90_000,
  )
}

const HOUR = 3_600_000

function task(name: string, cron: string, run: ScheduledTask['run']): ScheduledTask {
  return { name, cron, run }
}
