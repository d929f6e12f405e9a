import type { Clock } from '../../../core/ports/clock.ts'
import type { ScheduledTask } from '../../../core/ports/scheduler.ts'
import { type CronExpression, cronExpression } from './cron-expression.ts'

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
export function taskTimer({ cron }: ScheduledTask, clock: Clock, tick: () => void): TaskTimer {
  const expression = cronExpression(cron)
  if (expression.period !== undefined) return new PeriodTimer(expression.period, clock, tick)
  return new WallTimer(expression, clock, tick)
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
  readonly #expression: CronExpression
  #seen: number
  #timer: NodeJS.Timeout

  constructor(expression: CronExpression, clock: Clock, tick: () => void) {
    this.#clock = clock
    this.#tick = tick
    this.#expression = expression
    this.#seen = clock.now().getTime()
    this.#timer = this.#wait()
  }

  stop(): void {
    clearTimeout(this.#timer)
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
      for (const second of this.#expression.seconds) {
        const moment = minute + second * 1000
        if (moment > after && moment <= upTo && this.#expression.matches(new Date(moment))) return moment
      }
    }
    return undefined
  }
}
