/** The watchdog's view of the main thread. Times are in milliseconds. */
export interface Sight {
  /** How often its event loop has turned. */
  readonly turns: number
  /** When it was looked at, by a clock that goes on while the machine sleeps or not. */
  readonly at: number
  /** How long it has used a core, and how long it waited for one; undefined where the system does not say. */
  readonly worked?: number
  readonly queued?: number
  /** Whether a debugger may hold it. */
  readonly isDebugged: boolean
}

/** How often it is looked at. */
export const LOOK_MS = 500
/** After this time its stack is logged. */
const REPORT_MS = 5_000
/** So much work in one turn of the event loop ends the process. */
const WORK_MS = 10_000
/** So long a turn ends it, whatever it waits for. */
const TURN_MS = 30_000

/**
 * Judges for how long the main thread has not turned. What counts is time in which the process ran: a machine that slept
 * and a process that was stopped were not looked at meanwhile, and a thread that waits for a core does not stand still.
 */
export class Standstill {
  #last: Sight | undefined
  #stood = 0
  #worked = 0
  #isReported = false

  /** The action after this look: nothing, log its stack, or end the process. */
  look(now: Sight): 'nothing' | 'report' | 'end' {
    const last = this.#last
    this.#last = now
    if (last === undefined || now.turns !== last.turns || now.isDebugged) {
      this.#stood = 0
      this.#worked = 0
      this.#isReported = false
      return 'nothing'
    }
    const passed = Math.min(now.at - last.at, 2 * LOOK_MS)
    const part = (after = 0, before = after) => Math.min(Math.max(after - before, 0), passed)
    this.#stood += passed - part(now.queued, last.queued)
    this.#worked += part(now.worked, last.worked)
    if (this.#worked >= WORK_MS || this.#stood >= TURN_MS) return 'end'
    if (this.#isReported || this.#stood < REPORT_MS) return 'nothing'
    this.#isReported = true
    return 'report'
  }

  /** For how many seconds it has stood still. */
  get seconds(): number {
    return Math.round(this.#stood / 1000)
  }
}
