import type { Lane } from '../../ports/queue.ts'

/** Of more mails than this, those put off last come at the time they were given. */
const MOST = 10_000
/** So far ahead, in milliseconds, enough mails are due. */
const AHEAD_MS = 1_000
/** How often more may be asked for, in milliseconds. */
const PAUSE_MS = 250

/** A mail that was put off, and when it is due. */
export interface HeldMail {
  readonly id: string
  readonly lane: Lane
  readonly until: Date
}

/**
 * The mails to a domain that were put off. While it is in trouble, their times are right for the rate of that moment only.
 * Once it takes mail faster, some may come sooner.
 */
export class Held {
  readonly #mails = new Map<string, HeldMail>()
  #askedAt = Number.NEGATIVE_INFINITY

  get isEmpty(): boolean {
    return this.#mails.size === 0
  }

  add(mail: HeldMail): void {
    if (this.#mails.size < MOST) this.#mails.set(mail.id, mail)
  }

  /** The mail has come back. */
  came(id: string): void {
    this.#mails.delete(id)
  }

  /**
   * Those to make due now, so that as many come within a second as can go at this rate. `here`: how many wait in memory.
   * They count as due until they have come back.
   */
  sooner(perSecond: number, here: number, now: Date, monotonic: number): readonly HeldMail[] {
    if (monotonic - this.#askedAt < PAUSE_MS) return []
    this.#askedAt = monotonic
    const soon = now.getTime() + AHEAD_MS
    const later = [...this.#mails.values()].filter(({ until }) => until.getTime() > soon)
    const due = here + this.#mails.size - later.length
    const first = later
      .sort((a, b) => a.until.getTime() - b.until.getTime())
      .slice(0, Math.max(0, Math.ceil((perSecond * AHEAD_MS) / 1000) - due))
    for (const mail of first) this.#mails.set(mail.id, { ...mail, until: now })
    return first
  }
}
