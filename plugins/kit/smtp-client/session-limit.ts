import type { Log } from '../../../core/ports/log.ts'

/** After this long without meeting the limit, twice as many mails are tried; each time it is met again, twice as late. */
const GROW_MS = 60_000
const LONGEST_GROW_MS = 3_600_000
/** How often the log may speak of a limit that keeps changing. */
const SAY_AGAIN_MS = 60_000

/** A connection that its server ended, or used no more, between two mails. */
export interface UsedUp {
  /** How many mails it had carried. */
  readonly mails: number
  /** The server's words. */
  readonly reason: string
}

/**
 * How many mails the next hop takes on one connection. Two connections in a row that were used up after the same number
 * of mails set the limit; then connections are changed before they meet it. Single endings, as by a restart, set none.
 */
export class SessionLimit {
  readonly #peer: string
  readonly #log: Log | undefined
  #limit = Number.POSITIVE_INFINITY
  #last: number | undefined
  #wait = GROW_MS
  #growAt = Number.POSITIVE_INFINITY
  #said: number | undefined
  #saidAt = Number.NEGATIVE_INFINITY

  constructor(peer: string, log: Log | undefined) {
    this.#peer = peer
    this.#log = log
  }

  /** Whether a connection that has carried this many mails may carry another. */
  allows(mails: number): boolean {
    if (mails < this.#limit) return true
    const now = performance.now()
    if (now < this.#growAt) return false
    this.#limit *= 2
    this.#growAt = now + this.#wait
    return mails < this.#limit
  }

  /** A connection was used up: a fresh one took the mail that this one did not. */
  met({ mails, reason }: UsedUp): void {
    const isLimit = mails === this.#last && mails < this.#limit
    this.#last = mails
    if (isLimit) {
      const now = performance.now()
      if (this.#growAt < Number.POSITIVE_INFINITY) this.#wait = Math.min(this.#wait * 2, LONGEST_GROW_MS)
      this.#limit = mails
      this.#growAt = now + this.#wait
    }
    this.#say(mails, reason)
  }

  #say(mails: number, reason: string): void {
    const now = performance.now()
    if (mails === this.#said || now - this.#saidAt < SAY_AGAIN_MS) return
    this.#said = mails
    this.#saidAt = now
    this.#log?.info('the next hop takes only so many mails on one connection: others are opened, and no try is lost', {
      host: this.#peer,
      mails,
      reason,
    })
  }
}
