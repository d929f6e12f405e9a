import type { Lane } from '../../core/ports/queue.ts'

/** Jobs further ahead are found by polling. */
const MAX_AHEAD_MS = 120_000
/** Due times this close together share a nudge. */
const GRAIN_MS = 20

/** Remembers when this process's delayed jobs fall due, so that they need not wait for the next poll. */
export class DueTimers {
  readonly #nudge: (lane: Lane) => void
  readonly #timers = new Map<string, NodeJS.Timeout>()
  #off = false

  constructor(nudge: (lane: Lane) => void) {
    this.#nudge = nudge
  }

  /** Nudges this lane after this many milliseconds, or a little later. */
  set(lane: Lane, inMs: number): void {
    if (this.#off || inMs <= 0 || inMs > MAX_AHEAD_MS) return
    const grain = Math.floor((performance.now() + inMs) / GRAIN_MS) + 1
    const name = `${lane} ${grain}`
    if (this.#timers.has(name)) return
    const ring = () => {
      this.#timers.delete(name)
      this.#nudge(lane)
    }
    this.#timers.set(name, setTimeout(ring, grain * GRAIN_MS - performance.now()).unref())
  }

  /** Cancels all timers for good. */
  allOff(): void {
    this.#off = true
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
  }
}
