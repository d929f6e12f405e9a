/** How careful a back-off is. */
export interface Caution {
  readonly firstPauseMs: number
  readonly longestPauseMs: number
  /** Mails a second: where one begins again whose rate is unknown, and the least it is ever slowed to. */
  readonly firstRate: number
  readonly leastRate: number
}

const OF_A_DOMAIN: Caution = { firstPauseMs: 5_000, longestPauseMs: 600_000, firstRate: 2, leastRate: 0.1 }
/** A pause is up to so much longer by chance, so that several processes do not come back as one. */
const JITTER = 0.25
/** The pause doubles when it is called for again before so many mails were taken. */
const ENOUGH_TAKEN = 20
/** A domain that has no limit of its own and takes so many mails a second is no longer slowed. */
const FULL_RATE = 500
/** Below half the rate that was too much, the rate grows by so much with each mail taken: it doubles in about a second. */
const SLOW_START = 0.5
/** Above it, it gains as much again in so many seconds. */
const GAIN_SECONDS = 20
/** It is over, too, when nothing had to wait for so long. */
const CALM_MS = 60_000
const STALE_MS = 3_600_000

/**
 * What a domain, or a next hop, that puts mail off has taught us: a pause, then a rate that is halved by every further
 * back-off and grows with the mails taken (additive increase, multiplicative decrease, with a slow start as in
 * RFC 5681). Times are milliseconds of any one clock.
 */
export class BackOff {
  /** Nothing goes before. */
  pausedUntil = 0
  /** Mails a second. */
  rate: number
  /** When the first of these back-offs began. */
  readonly began: number
  /** What it said last, for whoever asks why a mail waits. */
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
    // Nobody knows yet what is too much: the slow start goes far.
    if (limit === undefined) this.#threshold = FULL_RATE / 2
  }

  /** True when nobody has asked for so long that it may be forgotten. */
  isStale(now: number): boolean {
    return now - this.#lastHeld > STALE_MS
  }

  /**
   * The domain put mail off in a try that began at `since`: pauses and halves the rate. Tries that were under way when
   * the last pause began say nothing new. Unless our rate is what was too much, the slow start goes far again.
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

  /** The domain took a mail. Answers whether the back-off is over. */
  took(now: number): boolean {
    if (now < this.pausedUntil) return false
    this.#taken++
    this.rate += this.rate < this.#threshold ? SLOW_START : this.#threshold / GAIN_SECONDS / this.rate
    return this.rate >= this.#goal || now - this.#lastHeld > CALM_MS
  }
}
