import { EngineError } from '../../../../core/errors.ts'

export interface FairLineOptions {
  /** So many work at the same time. */
  readonly places: number
  /** So many of one key, so that it never has them all. */
  readonly placesOfOne: number
  /** How long one waits for a place, in milliseconds. */
  readonly patienceMs: number
}

interface Waiting {
  begin(): void
}

/** Lets some work at a time. Who waits is let in by turns of the keys, however many wait of one key. */
export class FairLine {
  readonly #options: FairLineOptions
  readonly #working = new Map<string, number>()
  /** Those who wait, by key; the key whose turn is next comes first. */
  readonly #waiting = new Map<string, Set<Waiting>>()
  #busy = 0

  constructor(options: FairLineOptions) {
    this.#options = options
  }

  /** Does the work when it has a place. Throws EngineError `SERVICE_UNAVAILABLE` when it gets none in time. */
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
      // its next one comes behind those of the other keys
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
