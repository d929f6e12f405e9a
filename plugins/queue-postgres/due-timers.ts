import type { Lane } from '../../core/ports/queue.ts'

/** Jobs further ahead are found by looking now and then. */
const AHEAD_MS = 120_000
/** Moments so near to each other share a nudge. */
const GRAIN_MS = 20

/** Remembers when delayed jobs of this process fall due, so that they need not wait for the next look. */
export class DueTimers {
  readonly #nudge: (lane: Lane) => void
  readonly #timers = new Map<string, NodeJS.Timeout>()
  #off = false

  constructor(nudge: (lane: Lane) => void) {
    this.#nudge = nudge
  }

  /** Nudges this lane in so many milliseconds, or a little later. */
  set(lane: Lane, inMs: number): void {
    if (this.#off || inMs <= 0 || inMs > AHEAD_MS) return
    const grain = Math.floor((performance.now() + inMs) / GRAIN_MS) + 1
    const name = `${lane} ${grain}`
    if (this.#timers.has(name)) return
    const ring = () => {
      this.#timers.delete(name)
      this.#nudge(lane)
    }
    this.#timers.set(name, setTimeout(ring, grain * GRAIN_MS - performance.now()).unref())
  }

  /** Calls all off for good. */
  allOff(): void {
    this.#off = true
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
  }
}
