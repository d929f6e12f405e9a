import type { Clock } from '../../core/ports/clock.ts'

/** A moment at which something is to be done. */
export interface Alarm {
  timer: NodeJS.Timeout
}

/** The longest time a timer of Node can be set to, in milliseconds: 24.8 days. A longer one would ring at once. */
export const LONGEST_TIMER = 2 ** 31 - 1

/** By so much two clocks may go apart that nobody has set, in milliseconds. */
const DRIFT_MS = 1_000

/** Timers that can all be called off, never ring early and do not keep the process alive. */
export class Alarms {
  readonly #clock: Clock
  readonly #set = new Set<Alarm>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Calls `ring` when `moment` has come. How long that takes is reckoned once: a clock that is set afterwards neither
   * brings the alarm sooner nor keeps it waiting.
   */
  at(moment: Date, ring: () => void): Alarm {
    const left = () => moment.getTime() - this.#clock.now().getTime()
    const end = performance.now() + left()
    const wait = (milliseconds: number) =>
      setTimeout(() => {
        const rest = end - performance.now()
        // a long wait takes several timers, and the clocks of timer and calendar may differ a little
        const short = rest > 0 ? rest : left() <= DRIFT_MS ? left() : 0
        if (short > 0) alarm.timer = wait(short)
        else this.#ring(alarm, ring)
      }, timerLength(milliseconds)).unref()
    const alarm: Alarm = { timer: wait(left()) }
    this.#set.add(alarm)
    return alarm
  }

  /** Calls `ring` after so many milliseconds, at most 24.8 days. */
  after(milliseconds: number, ring: () => void): Alarm {
    const alarm: Alarm = { timer: setTimeout(() => this.#ring(alarm, ring), timerLength(milliseconds)).unref() }
    this.#set.add(alarm)
    return alarm
  }

  /** Calls one alarm off. */
  off(alarm: Alarm): void {
    clearTimeout(alarm.timer)
    this.#set.delete(alarm)
  }

  /** Calls all off. */
  allOff(): void {
    for (const alarm of this.#set) this.off(alarm)
  }

  #ring(alarm: Alarm, ring: () => void): void {
    this.#set.delete(alarm)
    ring()
  }
}

function timerLength(milliseconds: number): number {
  return Math.min(Math.max(milliseconds, 0), LONGEST_TIMER)
}
