/**
 * One deadline that often moves. Moving it later costs no timer, since the running timer checks it again when it fires.
 * So a busy connection hardly sets any timers.
 */
export class Deadline {
  readonly #onPassed: () => void
  #at = Number.POSITIVE_INFINITY
  #timer: NodeJS.Timeout | undefined
  #fires = Number.POSITIVE_INFINITY

  constructor(onPassed: () => void) {
    this.#onPassed = onPassed
  }

  /** Sets the deadline this many milliseconds from now. */
  set(milliseconds: number): void {
    this.#at = performance.now() + milliseconds
    if (this.#fires <= this.#at) return
    clearTimeout(this.#timer)
    this.#start(milliseconds)
  }

  /** Removes the deadline and stops the timer. */
  clear(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#at = Number.POSITIVE_INFINITY
    this.#fires = Number.POSITIVE_INFINITY
  }

  #start(milliseconds: number): void {
    this.#fires = this.#at
    this.#timer = setTimeout(() => this.#look(), milliseconds)
  }

  #look(): void {
    this.#fires = Number.POSITIVE_INFINITY
    const left = this.#at - performance.now()
    // timers may fire up to a millisecond early
    if (left > 1) {
      this.#start(left)
      return
    }
    this.#at = Number.POSITIVE_INFINITY
    this.#onPassed()
  }
}
