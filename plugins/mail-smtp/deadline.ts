/**
 * One deadline that is moved all the time. Moving it later costs no timer: the timer that runs already looks again when
 * it fires, so a busy connection sets hardly any.
 */
export class Deadline {
  readonly #onPassed: () => void
  #at = Number.POSITIVE_INFINITY
  #timer: NodeJS.Timeout | undefined
  #fires = Number.POSITIVE_INFINITY

  constructor(onPassed: () => void) {
    this.#onPassed = onPassed
  }

  /** Sets the deadline so many milliseconds from now. */
  set(milliseconds: number): void {
    this.#at = performance.now() + milliseconds
    if (this.#fires <= this.#at) return
    clearTimeout(this.#timer)
    this.#start(milliseconds)
  }

  /** Takes the deadline away; nothing is left running. */
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
