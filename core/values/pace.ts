import { yieldToLoop } from './yield-to-loop.ts'

/** So long the event loop is kept at once, in milliseconds. */
const LONGEST_MS = 10

/**
 * Keeps long work from keeping everybody else waiting: pieces of it that follow each other share one stretch of the event
 * loop until that is long enough, and the next piece waits for a turn. Pieces of different callers go one after the other.
 */
export class Pace {
  #since: number | undefined
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0

  /** True when the next piece has to wait for its turn: then it is to `rest` first. */
  get isDue(): boolean {
    return !this.#isFree()
  }

  /** Between two pieces of work: answers when the next may begin, at once as a rule. */
  async rest(): Promise<void> {
    if (!this.#isFree()) await this.run(nothing)
  }

  /** Does a piece of work, which must not wait for anything, when it is its turn. */
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
    if (this.#since !== undefined) return now - this.#since < LONGEST_MS
    this.#since = now
    setImmediate(() => {
      this.#since = undefined
    })
    return true
  }
}

function nothing(): void {}
