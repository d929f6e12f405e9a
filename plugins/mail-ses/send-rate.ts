import { setTimeout as pause } from 'node:timers/promises'

/** How far back unused rate may be caught up on, in milliseconds: timers are no more exact than that. */
const CATCH_UP_MS = 100

/** Spaces recipients evenly, at the account's rate per second. */
export class SendRate {
  #perSecond: number | undefined
  #next = 0

  /** Undefined means no limit. */
  get perSecond(): number | undefined {
    return this.#perSecond
  }

  set(perSecond: number | undefined): void {
    this.#perSecond = perSecond
  }

  /** Answers when it is these recipients' turn. Rejects when the signal aborts before. */
  async wait(recipients: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#perSecond === undefined) return
    const now = performance.now()
    const at = Math.max(this.#next, now - CATCH_UP_MS)
    this.#next = at + (recipients * 1000) / this.#perSecond
    if (at > now) await pause(at - now, undefined, { signal })
  }
}
