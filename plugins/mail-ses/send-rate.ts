import { setTimeout as pause } from 'node:timers/promises'

/** What was not used may be caught up with for so long, in milliseconds: timers are no better than that. */
const CATCH_UP_MS = 100

/** Spaces recipients evenly, as many in a second as the account may have. */
export class SendRate {
  #perSecond: number | undefined
  #next = 0

  /** Undefined: as many as there are. */
  get perSecond(): number | undefined {
    return this.#perSecond
  }

  set(perSecond: number | undefined): void {
    this.#perSecond = perSecond
  }

  /** Answers when it is the turn of so many recipients. Rejects when the signal is aborted before. */
  async wait(recipients: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#perSecond === undefined) return
    const now = performance.now()
    const at = Math.max(this.#next, now - CATCH_UP_MS)
    this.#next = at + (recipients * 1000) / this.#perSecond
    if (at > now) await pause(at - now, undefined, { signal })
  }
}
