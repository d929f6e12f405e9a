import type { Clock } from '../../core/ports/clock.ts'

/** An alarm that was set. */
export interface Alarm {
  timer: NodeJS.Timeout
}

/** The longest timer Node can set, in milliseconds: 24.8 days. A longer one would fire at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1

/** How far two clocks may drift apart without being set, in milliseconds. */
const DRIFT_MS = 1_000

/** Timers that can be cancelled together, never fire early and do not keep the process alive. */
export class Alarms {
  readonly #clock: Clock
  readonly #set = new Set<Alarm>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Calls `ring` at `moment`. The wait is computed once: setting the clock afterwards makes the alarm
   * neither earlier nor later.
   */
  at(moment: Date, ring: () => void): Alarm {
    const left = () => moment.getTime() - this.#clock.now().getTime()
    const end = performance.now() + left()
    const wait = (milliseconds: number) =>
      setTimeout(() => {
        const rest = end - performance.now()
        // a long wait takes several timers, and the timer's clock and the wall clock may differ a little
        const short = rest > 0 ? rest : left() <= DRIFT_MS ? left() : 0
        if (short > 0) alarm.timer = wait(short)
        else this.#ring(alarm, ring)
      }, timerLength(milliseconds)).unref()
    const alarm: Alarm = { timer: wait(left()) }
    this.#set.add(alarm)
    return alarm
  }

  /** Calls `ring` after this many milliseconds, at most 24.8 days. */
  after(milliseconds: number, ring: () => void): Alarm {
    const alarm: Alarm = { timer: setTimeout(() => this.#ring(alarm, ring), timerLength(milliseconds)).unref() }
    this.#set.add(alarm)
    return alarm
  }

  /** Cancels one alarm. */
  off(alarm: Alarm): void {
    clearTimeout(alarm.timer)
    this.#set.delete(alarm)
  }

  /** Cancels all alarms. */
  allOff(): void {
    for (const alarm of this.#set) this.off(alarm)
  }

  #ring(alarm: Alarm, ring: () => void): void {
    this.#set.delete(alarm)
    ring()
  }
}

function timerLength(milliseconds: number): number {
  return Math.min(Math.max(milliseconds, 0), MAX_TIMER_MS)
}
