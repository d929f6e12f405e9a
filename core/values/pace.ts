import { yieldToLoop } from './yield-to-loop.ts'

/** How long it may block the event loop at once, in milliseconds. */
const MAX_BLOCKING_MS = 4

/**
 * Divides long work so that other work is not blocked: pieces run one after the other until the time is used up, then
 * the next one waits for the event loop. Pieces of different callers run one at a time.
 */
export class Pace {
  #since: number | undefined
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0

  /** True when the next piece must call `rest` first. */
  get isDue(): boolean {
    return !this.#isFree()
  }

  /** Call it between two pieces of work: answers when the next may begin, usually at once. */
  async rest(): Promise<void> {
    if (!this.#isFree()) await this.run(nothing)
  }

  /** Runs a piece of synchronous work when it is its turn. */
  async run<T>(work: () => T): Promise<T> {
    if (this.#waiting === 0 && this.#isFree()) return work()
    this.#waiting++
    const mine = this.#last.then(async () => {
      this.#waiting--
      while (!this.#isFree()) await yieldToLoop()
      return work()
    })
    this.#last = mine.catch(nothing)
    return mine
  }

  #isFree(): boolean {
    const now = performance.now()
    if (this.#since !== undefined) return now - this.#since < MAX_BLOCKING_MS
    this.#since = now
    setImmediate(() => {
      this.#since = undefined
    })
    return true
  }
}

function nothing(): void {}
