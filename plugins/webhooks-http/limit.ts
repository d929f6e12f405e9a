import { performance } from 'node:perf_hooks'
import { failure, NoAnswer } from './no-answer.ts'

/** Ends an exchange after `timeout` milliseconds, or when the caller gives up. */
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

  /** Milliseconds left. */
  left(): number {
    return Math.max(this.#expires - performance.now(), 0)
  }

  /** Answers what `work` answers, or throws as soon as the limit is reached, without waiting for `work`. */
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

  /** Call when the exchange is over: releases the timer and the caller's signal. */
  clear(): void {
    clearTimeout(this.#timer)
    this.#given.removeEventListener('abort', this.#giveUp)
  }
}
