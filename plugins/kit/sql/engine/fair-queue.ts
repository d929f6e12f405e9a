import { EngineError } from '../../../../core/errors.ts'

export interface FairQueueOptions {
  /** How many may work at the same time. */
  readonly places: number
  /** How many of one key, so that one key never takes all places. */
  readonly placesOfOne: number
  /** How long to wait for a place, in milliseconds. */
  readonly patienceMs: number
}

interface Waiting {
  begin(): void
}

/** Limits how many work at the same time. The keys take turns, however many calls of one key wait. */
export class FairQueue {
  readonly #options: FairQueueOptions
  readonly #working = new Map<string, number>()
  /** Waiting calls by key; the key with the next turn comes first. */
  readonly #waiting = new Map<string, Set<Waiting>>()
  #busy = 0

  constructor(options: FairQueueOptions) {
    this.#options = options
  }

  /** Does the work once it has a place. Throws EngineError `SERVICE_UNAVAILABLE` when it gets none in time. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    if (!this.#hasPlace(key)) await this.#place(key)
    else this.#take(key)
    try {
      return await work()
    } finally {
      this.#give(key)
    }
  }

  #hasPlace(key: string): boolean {
    return this.#busy < this.#options.places && (this.#working.get(key) ?? 0) < this.#options.placesOfOne
  }

  #take(key: string): void {
    this.#busy++
    this.#working.set(key, (this.#working.get(key) ?? 0) + 1)
  }

  #give(key: string): void {
    this.#busy--
    const left = (this.#working.get(key) ?? 0) - 1
    if (left > 0) this.#working.set(key, left)
    else this.#working.delete(key)
    this.#letIn()
  }

  #letIn(): void {
    for (const [key, line] of this.#waiting) {
      const [first] = line
      if (first === undefined || !this.#hasPlace(key)) continue
      this.#take(key)
      first.begin()
      this.#leave(key, first)
      // the key's next call comes after those of the other keys
      if (line.size > 0) {
        this.#waiting.delete(key)
        this.#waiting.set(key, line)
      }
      return
    }
  }

  #place(key: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting = {
      begin: () => {
        clearTimeout(timer)
        resolve()
      },
    }
    const timer = setTimeout(() => {
      this.#leave(key, waiting)
      const message = 'Too many long reads are under way.'
      reject(new EngineError('SERVICE_UNAVAILABLE', message, { retryAfter: RETRY_AFTER }))
    }, this.#options.patienceMs)
    const line = this.#waiting.get(key) ?? new Set()
    this.#waiting.set(key, line.add(waiting))
    return promise
  }

  #leave(key: string, waiting: Waiting): void {
    const line = this.#waiting.get(key)
    line?.delete(waiting)
    if (line?.size === 0) this.#waiting.delete(key)
  }
}

const RETRY_AFTER = 5
