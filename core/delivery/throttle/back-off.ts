/** How careful a back-off is. */
export interface Caution {
  readonly firstPauseMs: number
  readonly longestPauseMs: number
  /** Mails a second: the first rate when none is known, and the lowest it is ever slowed to. */
  readonly firstRate: number
  readonly leastRate: number
}

const OF_A_DOMAIN: Caution = { firstPauseMs: 5_000, longestPauseMs: 600_000, firstRate: 2, leastRate: 0.1 }
/** A pause is longer by up to this share, at random, so that several processes do not come back at once. */
const JITTER = 0.25
/** The pause doubles when another is called for before this many mails were accepted. */
const ENOUGH_TAKEN = 20
/** A domain without its own limit is no longer slowed once it accepts this many mails a second. */
const FULL_RATE = 500
/** Below half the rate that was too much, the rate grows by this per accepted mail: it doubles in about a second. */
const SLOW_START = 0.5
/** Above it, the rate takes this many seconds to gain as much again. */
const GAIN_SECONDS = 20
/** The back-off also ends when nothing had to wait for this long. */
const CALM_MS = 60_000
const STALE_MS = 3_600_000

/**
 * The back-off for a domain, or a next hop, that puts mail off: a pause, then a rate that is halved by every further
 * back-off and grows with the mails accepted (additive increase, multiplicative decrease, with a slow start as in RFC
 * 5681). Times are milliseconds of any one clock.
 */
export class BackOff {
  /** No mail goes before this time. */
  pausedUntil = 0
  /** Mails a second. */
  rate: number
  /** When the first of these back-offs began. */
  readonly began: number
  /** The last reason the domain gave, to explain why a mail waits. */
  reason: string | undefined
  readonly #goal: number
  readonly #chance: () => number
  readonly #caution: Caution
  #threshold = 0
  #lastBegan = 0
  #pauses = 0
  #taken = ENOUGH_TAKEN
  #lastHeld = 0

  /** `limit` is the rate the domain is held to anyway; `chance` answers a number from 0 up to 1. */
  constructor(now: number, limit: number | undefined, chance: () => number, caution = OF_A_DOMAIN) {
    this.began = now
    this.#goal = limit ?? FULL_RATE
    this.#chance = chance
    this.#caution = caution
    this.rate = limit ?? 2 * caution.firstRate
    this.again(now, now)
    // The limit is still unknown, so the slow start goes far.
    if (limit === undefined) this.#threshold = FULL_RATE / 2
  }

  /** True when no mail has waited for so long that it may be forgotten. */
  isStale(now: number): boolean {
    return now - this.#lastHeld > STALE_MS
  }

  /**
   * The domain put mail off in a try that began at `since`: pauses and halves the rate. Tries that were already running
   * when the last pause began tell nothing new. When our rate was not the cause (`isRate` false), the slow start goes
   * far again.
   */
  again(now: number, since: number, isRate = true): void {
    if (since < this.#lastBegan) return
    this.#pauses = this.#taken >= ENOUGH_TAKEN ? 0 : this.#pauses + 1
    this.#taken = 0
    this.#lastBegan = now
    this.#lastHeld = now
    this.rate = Math.max(this.#caution.leastRate, this.rate / 2)
    this.#threshold = isRate ? this.rate : FULL_RATE / 2
    const { firstPauseMs, longestPauseMs } = this.#caution
    const pause = Math.min(firstPauseMs * 2 ** this.#pauses, longestPauseMs)
    this.pausedUntil = now + pause * (1 + JITTER * this.#chance())
  }

  /** A mail had to wait. */
  held(now: number): void {
    this.#lastHeld = now
  }

  /** The domain accepted a mail. Answers whether the back-off is over. */
  took(now: number): boolean {
    if (now < this.pausedUntil) return false
    this.#taken++
    this.rate += this.rate < this.#threshold ? SLOW_START : this.#threshold / GAIN_SECONDS / this.rate
    return this.rate >= this.#goal || now - this.#lastHeld > CALM_MS
  }
}
