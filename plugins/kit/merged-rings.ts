/** A ring that waits for the one before it to be written. */
interface Next {
  /** When to wake; undefined: at once. */
  at: Date | undefined
  readonly written: Promise<void>
}

/**
 * Makes one of the rings of a topic and lane that come while one is being written, with the earliest of their times. So a
 * process writes one at a time, however many mails it accepts.
 */
export class MergedRings {
  readonly #writing = new Map<string, Promise<void>>()
  readonly #next = new Map<string, Next>()

  /** Resolves when the ring is written by `write`, or one that it became part of. */
  ring(key: string, at: Date | undefined, write: (at: Date | undefined) => Promise<void>): Promise<void> {
    const waiting = this.#next.get(key)
    if (waiting) {
      if (at === undefined || (waiting.at && at < waiting.at)) waiting.at = at
      return waiting.written
    }
    const before = this.#writing.get(key) ?? Promise.resolve()
    const next: Next = {
      at,
      written: before.then(() => {
        this.#next.delete(key)
        return write(next.at)
      }),
    }
    const settled = next.written.catch(() => {})
    this.#next.set(key, next)
    this.#writing.set(key, settled)
    return next.written
  }
}
