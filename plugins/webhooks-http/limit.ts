import { performance } from 'node:perf_hooks'
import { failure, NoAnswer } from './no-answer.ts'

/** The end of an exchange: after `timeout` milliseconds, or when the caller gives up. */
export class Limit {
  readonly #end = new AbortController()
  readonly #timer: NodeJS.Timeout
  readonly #expires: number
  readonly #given: AbortSignal
  readonly #giveUp = () => this.#end.abort(new NoAnswer('failed', 'was given up'))

  constructor(timeout: number, given: AbortSignal) {
    const wait = Math.min(Math.max(timeout, 0), 2 ** 31 - 1)
    this.#expires = performance.now() + wait
    this.#timer = setTimeout(() => this.#end.abort(new NoAnswer('failed', `took longer than ${wait} ms`)), wait)
    this.#given = given
    if (given.aborted) this.#giveUp()
    given.addEventListener('abort', this.#giveUp, { once: true })
  }

  /** Its reason is a NoAnswer. */
  get signal(): AbortSignal {
    return this.#end.signal
  }

  /** Milliseconds that are left. */
  left(): number {
    return Math.max(this.#expires - performance.now(), 0)
  }

  /** Answers what `work` answers, or throws at once when the limit is reached; `work` is not waited for then. */
  async within<T>(work: Promise<T>): Promise<T> {
    const { signal } = this
    const { promise: ended, reject } = Promise.withResolvers<never>()
    const end = () => reject(failure(signal.reason))
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted) end()
    try {
      return await Promise.race([ended, work])
    } finally {
      signal.removeEventListener('abort', end)
    }
  }

  /** To be called when the exchange is over: nothing is kept by it then. */
  clear(): void {
    clearTimeout(this.#timer)
    this.#given.removeEventListener('abort', this.#giveUp)
  }
}
