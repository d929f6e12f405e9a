import nodeCron from 'node-cron'
import type { Clock } from '../../../core/ports/clock.ts'
import type { ScheduledTask } from '../../../core/ports/scheduler.ts'

/** Milliseconds between two looks at the wall clock, and so the most a task can be late when the clock jumps. */
const CLOCK_CHECK_MS = 5_000
/**
 * How old a missed tick may be to be made up for. Ticks are missed when the clock jumps or the
 * process is busy or asleep.
 */
const MAX_MISSED_MS = 24 * 3_600_000

/** Calls a task at its ticks. */
export interface TaskTimer {
  /** Milliseconds between ticks; undefined when they come at times of day. */
  readonly period: number | undefined
  stop(): void
}

/** Sets a timer for a task with a valid expression. `tick` is called at every tick and must not throw. */
export function taskTimer({ name, cron }: ScheduledTask, clock: Clock, tick: () => void): TaskTimer {
  const period = periodOf(cron)
  if (period !== undefined) return new PeriodTimer(period, clock, tick)
  return new WallTimer({ name, cron }, clock, tick)
}

/** The period of `* * * * * *` or of an expression for every few seconds; undefined for all others. */
function periodOf(cron: string): number | undefined {
  const { second, minute, hour, dayOfMonth, month, dayOfWeek } = nodeCron.parse(cron)
  const isAlways = [minute.length, hour.length, dayOfMonth.length, month.length, dayOfWeek.length]
  if (isAlways.join() !== '60,24,31,12,7' || second.length < 2) return undefined
  const step = 60 / second.length
  return second.every((value, i) => value === i * step) ? step * 1000 : undefined
}

/** Ticks at equal distances by the monotonic clock: whatever the wall clock does, no tick is missed or comes twice. */
class PeriodTimer implements TaskTimer {
  readonly period: number
  readonly #tick: () => void
  #next: number
  #timer: NodeJS.Timeout

  constructor(period: number, clock: Clock, tick: () => void) {
    this.period = period
    this.#tick = tick
    // aligned with the wall clock's full seconds, so that processes that start together tick together
    this.#next = performance.now() + period - (clock.now().getTime() % period)
    this.#timer = this.#wait()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #wait(): NodeJS.Timeout {
    return setTimeout(() => this.#look(), Math.max(1, Math.ceil(this.#next - performance.now())))
  }

  #look(): void {
    const late = performance.now() - this.#next
    if (late >= 0) {
      // of the ticks a busy process missed, only the last is made up for
      this.#next += this.period * (Math.floor(late / this.period) + 1)
      this.#tick()
    }
    this.#timer = this.#wait()
  }
}

/**
 * Ticks at times of the wall clock (UTC), which it checks again and again. When the clock is set forward, at most one
 * tick comes for all that were skipped. When it is set back, they come when it reaches them again.
 */
class WallTimer implements TaskTimer {
  readonly period = undefined
  readonly #clock: Clock
  readonly #tick: () => void
  readonly #expression: ReturnType<typeof nodeCron.createTask>
  readonly #seconds: readonly number[]
  #seen: number
  #timer: NodeJS.Timeout

  constructor({ name, cron }: Pick<ScheduledTask, 'name' | 'cron'>, clock: Clock, tick: () => void) {
    this.#clock = clock
    this.#tick = tick
    // Never started: after the clock was set back, node-cron's own timer would wait until it catches up.
    this.#expression = nodeCron.createTask(cron, () => {}, { timezone: 'Etc/UTC', name })
    this.#seconds = nodeCron.parse(cron).second.toSorted((a, b) => a - b)
    this.#seen = clock.now().getTime()
    this.#timer = this.#wait()
  }

  stop(): void {
    clearTimeout(this.#timer)
    void this.#expression.destroy()
  }

  #wait(): NodeJS.Timeout {
    const next = this.#firstTick(this.#seen, this.#seen + CLOCK_CHECK_MS) ?? this.#seen + CLOCK_CHECK_MS
    const wait = next - this.#clock.now().getTime()
    return setTimeout(() => this.#look(), Math.min(Math.max(wait, 1), CLOCK_CHECK_MS))
  }

  #look(): void {
    const now = this.#clock.now().getTime()
    const since = Math.max(this.#seen, now - MAX_MISSED_MS)
    this.#seen = now
    if (this.#firstTick(since, now) !== undefined) this.#tick()
    this.#timer = this.#wait()
  }

  /** The time of the first tick after `after` and not after `upTo`. */
  #firstTick(after: number, upTo: number): number | undefined {
    for (let minute = after - (after % 60_000); minute <= upTo; minute += 60_000) {
      for (const second of this.#seconds) {
        const moment = minute + second * 1000
        if (moment > after && moment <= upTo && this.#expression.match(new Date(moment))) return moment
      }
    }
    return undefined
  }
}
