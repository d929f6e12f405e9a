import type { WaitingTotal } from '../../core/analytics/operations.ts'
import type { Engine } from '../../core/engine.ts'

/** The least pause, in milliseconds, before waiting work is counted again … */
const PAUSE_MS = 5_000
/** … and this many times as long as counting took, so that a million rows cost the database a twentieth of its time. */
const REST = 20
/** How long a scrape waits for a count that takes long, in milliseconds. The next one has its result. */
const PATIENCE_MS = 2_000

/** A count, and when it was made. */
export interface CountedTotals {
  readonly at: Date
  readonly totals: readonly WaitingTotal[]
}

/** The waiting work in the store, counted seldom, however many ask. */
export class QueueTotals {
  #counted: CountedTotals | undefined
  #running: Promise<void> | undefined
  #next = 0

  /** The last count, if there is one; a new one when it is time for that and it does not take long. Never rejects. */
  async get(engine: Engine): Promise<CountedTotals | undefined> {
    if (!this.#running && performance.now() >= this.#next) {
      this.#running = this.#count(engine).finally(() => {
        this.#running = undefined
      })
    }
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, PATIENCE_MS)
    })
    await Promise.race([this.#running, late])
    clearTimeout(timer)
    return this.#counted
  }

  async #count(engine: Engine): Promise<void> {
    const began = performance.now()
    try {
      const at = engine.now()
      this.#counted = { at, totals: await engine.analytics.operations.waiting() }
    } catch (error) {
      // the age of the last count tells
      engine.log.warn('what waits could not be counted for the metrics', { error })
    }
    const now = performance.now()
    this.#next = now + Math.max(PAUSE_MS, REST * (now - began))
  }
}
