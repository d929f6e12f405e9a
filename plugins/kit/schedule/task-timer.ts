import nodeCron from 'node-cron'
import type { Clock } from '../../../core/ports/clock.ts'
import type { ScheduledTask } from '../../../core/ports/scheduler.ts'

/** Between two looks at the wall clock, in milliseconds: what a clock that jumps can cost a task at a time of day. */
const LOOK_MS = 60_000
/** Ticks that a leap of the clock, a busy or a sleeping process passed by are made up for when they are not older. */
const MISSED_MS = 24 * 3_600_000

/** Calls a task at its ticks. */
export interface TaskTimer {
  /** Milliseconds from one tick to the next; undefined when the ticks are at times of day. */
  readonly period: number | undefined
  stop(): void
}

/** Sets a timer for a task whose expression is known to be right. `tick` is called at every tick and must not throw. */
export function taskTimer({ name, cron }: ScheduledTask, clock: Clock, tick: () => void): TaskTimer {
  const period = periodOf(cron)
  if (period !== undefined) return new PeriodTimer(period, clock, tick)
  return new WallTimer({ name, cron }, clock, tick)
}

/** The length of `* * * * * *` or of every so many seconds; undefined for everything else. */
function periodOf(cron: string): number | undefined {
  const { second, minute, hour, dayOfMonth, month, dayOfWeek } = nodeCron.parse(cron)
  const isAlways = [minute.length, hour.length, dayOfMonth.length, month.length, dayOfWeek.length]
  if (isAlways.join() !== '60,24,31,12,7' || second.length < 2) return undefined
  const step = 60 / second.length
  return second.every((value, i) => value === i * step) ? step * 1000 : undefined
}

/** Ticks at equal distances, by a clock that nobody sets: whatever the wall clock does, none is missed or comes twice. */
class PeriodTimer implements TaskTimer {
  readonly period: number
  readonly #tick: () => void
  #next: number
  #timer: NodeJS.Timeout

  constructor(period: number, clock: Clock, tick: () => void) {
    this.period = period
    this.#tick = tick
    // begins with the wall clock's full seconds, so that processes that start together have their ticks together
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
      // of ticks that passed by in a busy process the last is made up for
      this.#next += this.period * (Math.floor(late / this.period) + 1)
      this.#tick()
    }
    this.#timer = this.#wait()
  }
}

/**
 * Ticks at times of the wall clock (UTC), which is looked at again and again: set forward, it brings at most one tick,
 * for all those it has passed over; set back, the ticks come when it reaches them again.
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
    // Never started: node-cron's own timer waits for a wall time, for as long as the clock was set back.
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
    const next = this.#firstTick(this.#seen, this.#seen + LOOK_MS) ?? this.#seen + LOOK_MS
    const wait = next - this.#clock.now().getTime()
    return setTimeout(() => this.#look(), Math.min(Math.max(wait, 1), LOOK_MS))
  }

  #look(): void {
    const now = this.#clock.now().getTime()
    const since = Math.max(this.#seen, now - MISSED_MS)
    this.#seen = now
    if (this.#firstTick(since, now) !== undefined) this.#tick()
    this.#timer = this.#wait()
  }

  /** The first moment of a tick after this one and not behind that one. */
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
