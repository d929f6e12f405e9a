import type { Clock } from '../../core/ports/clock.ts'

/** A moment at which something is to be done. */
export interface Alarm {
  timer: NodeJS.Timeout
}

/** The longest time a timer of Node can be set to, in milliseconds: 24.8 days. A longer one would ring at once. */
export const LONGEST_TIMER = 2 ** 31 - 1

/** Timers that can all be called off, never ring early and do not keep the process alive. */
export class Alarms {
  readonly #clock: Clock
  readonly #set = new Set<Alarm>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Calls `ring` when the clock has reached `moment`. */
  at(moment: Date, ring: () => void): Alarm {
    const left = () => moment.getTime() - this.#clock.now().getTime()
    const wait = () =>
      setTimeout(() => {
        // Timers count by another clock than the calendar's, and a long wait takes several of them.
        if (left() > 0) alarm.timer = wait()
        else this.#ring(alarm, ring)
      }, timerLength(left())).unref()
    const alarm: Alarm = { timer: wait() }
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
