import { LANES, type Lane } from '../../ports/queue.ts'
import type { Limits } from '../../settings/throttle-settings.ts'
import type { BackOff } from './back-off.ts'

/** A mail due this soon waits in memory, others in the store. One that has waited there may wait longer here. */
const HOLD_MS = 1_000
const LONGEST_HOLD_MS = 2_000
/** A slot of time missed by less than this is made up for. */
const LATE_MS = 50
/** A mail that comes back gets its next time within this period, as long as one is free. */
const COMING_BACK_MS = 60_000
/** At a learnt rate no time lies further ahead, however long the trouble lasts: after a restart no mail is asked to come sooner. */
const LONGEST_AHEAD_MS = 600_000
/** A free moment unused for this long means that the mails put off do not need it: new ones may have it. */
const UNUSED_MS = 250
/** After this long without any mail, those that were put off will not come back. */
const DESERTED_MS = 15_000
/** The assumed duration of a mail before one was measured, in milliseconds, and the weight of each new measurement. */
const FIRST_DURATION = 100
const WEIGHT = 0.1

/** `go`, or the time at which to come again. */
export type Turn = 'go' | number

interface Waiter {
  /** When it is its turn, or it is put off. */
  readonly until: number
  readonly hasWaited: boolean
  decide(turn: Turn): void
}

/** Up to which time a lane's times are given out: to the mails that come back, and to the new ones behind all others. */
interface GivenOut {
  toReturning: number
  toNew: number
}

/**
 * Lets the mails of one domain or one project through at their rate, and only so many at a time. Turns are evenly
 * spaced; the next free one goes to the highest lane that waits, so no mail waits behind a lower lane. A mail whose
 * turn comes within a second waits here. Others are put off: they get a time to come again, in order within their lane,
 * and go before new ones. docs/throttle.md explains how. Times are milliseconds of the given clock.
 */
export class Gate {
  /** Set while the domain puts mail off. */
  backOff: BackOff | undefined
  readonly #limits: Limits
  readonly #clock: () => number
  readonly #isAsked: boolean
  readonly #lines: Record<Lane, Set<Waiter>> = { transactional: new Set(), workflow: new Set(), campaign: new Set() }
  readonly #given: Record<Lane, GivenOut> = { transactional: none(), workflow: none(), campaign: none() }
  #next: number
  #inside = 0
  #starting = 0
  #duration = FIRST_DURATION
  #timer: NodeJS.Timeout | undefined

  /** `isAsked`: the caller asks `room` before, so those put off need no times of their own. */
  constructor(limits: Limits, clock: () => number, { isAsked = false }: { readonly isAsked?: boolean } = {}) {
    this.#limits = limits
    this.#clock = clock
    this.#isAsked = isAsked
    this.#next = clock()
  }

  /** True when forgetting this gate changes nothing. */
  get isIdle(): boolean {
    const now = this.#clock()
    const isAwaited = LANES.some((lane) => this.#lines[lane].size > 0 || this.#backlogEnd(lane) > now)
    const isAtRest = this.backOff === undefined || this.backOff.isStale(now)
    return isAtRest && this.#inside === 0 && this.#next <= now && !isAwaited
  }

  /** The rate set by the settings alone. */
  get limit(): number | undefined {
    return this.#limits.rate
  }

  /** When to come again, during a pause; undefined when there is none. */
  paused(lane: Lane, hasWaited: boolean): number | undefined {
    const now = this.#clock()
    return now < this.#pausedUntil ? this.#putOff(lane, hasWaited, now) : undefined
  }

  /** True when `enter` would put it off at once. */
  putsOff(lane: Lane, hasWaited: boolean): boolean {
    return this.#putsOff(lane, hasWaited, this.#clock())
  }

  /** Gives out a turn at the settings' rate; undefined when that would be no later than `after`, or they set none. */
  momentBehind(after: number, lane: Lane, hasWaited: boolean): number | undefined {
    if (this.#settledSpacing === undefined) return undefined
    const moment = this.#putOff(lane, hasWaited, this.#clock())
    return moment > after ? moment : undefined
  }

  /** How many mails of this lane may come now, to go within a second. */
  room(lane: Lane): number {
    const now = this.#clock()
    if (now < this.#pausedUntil) return 0
    const turns = Math.floor((now + HOLD_MS - Math.max(now, this.#next)) / this.#interval)
    return Math.max(0, turns - this.#waitingBefore(lane))
  }

  /** The rate that mail may go at just now, in mails a second; infinite when nothing limits it. */
  get rate(): number {
    return this.#clock() < this.#pausedUntil ? 0 : this.#rate
  }

  /** How many mails wait here for their turns. */
  get waiting(): number {
    return this.#waitingBefore('campaign')
  }

  /** The time up to which all turns are given out. */
  backlogEnd(lane: Lane): number {
    return Math.max(this.#clock() + HOLD_MS, this.#backlogEnd(lane))
  }

  /**
   * Asks for a turn; `hasWaited` when the mail was put off before. After `go` call `started` and `leave`, or
   * `giveBack`.
   */
  enter(lane: Lane, hasWaited: boolean): Turn | Promise<Turn> {
    const now = this.#clock()
    if (this.#putsOff(lane, hasWaited, now)) return this.#putOff(lane, hasWaited, now)
    if (this.#waitingBefore(lane) === 0 && this.#isFree(now)) return this.#take(now)
    return new Promise((decide) => {
      this.#lines[lane].add({ until: now + LONGEST_HOLD_MS, hasWaited, decide })
      if (this.#timer === undefined) this.#wake(now)
    })
  }

  /** The mail has its slot: the next one may queue for one. */
  started(): void {
    this.#starting--
    this.admit()
  }

  /** The mail is done; `duration` in milliseconds from `started`, if it was tried. */
  leave(duration?: number): void {
    this.#inside--
    if (duration !== undefined) this.#duration += WEIGHT * (duration - this.#duration)
    this.admit()
  }

  /** The mail did not use its turn: another may have it. */
  giveBack(): void {
    this.#next -= this.#interval
    this.#starting--
    this.leave()
  }

  /** Ends the back-off: mails put off keep their times, but others no longer queue behind them. */
  recover(): void {
    this.backOff = undefined
    this.#next = Math.min(this.#next, this.#clock() + this.#interval)
    if (this.#settledSpacing === undefined) for (const lane of LANES) this.#given[lane] = none()
    this.admit()
  }

  get #pausedUntil(): number {
    return this.backOff?.pausedUntil ?? 0
  }

  get #rate(): number {
    return Math.min(this.#limits.rate ?? Number.POSITIVE_INFINITY, this.backOff?.rate ?? Number.POSITIVE_INFINITY)
  }

  /** Milliseconds from one mail to the next. */
  get #interval(): number {
    return 1000 / this.#rate
  }

  /** The interval when the number of connections is the limit, estimated from how long mails take. */
  get #spacing(): number {
    return Math.max(this.#interval, this.#connectionSpacing)
  }

  /** Half of what was measured: a mail that comes too early is put off again, but an idle connection is lost time. */
  get #connectionSpacing(): number {
    const { connections } = this.#limits
    return connections === undefined ? 0 : this.#duration / connections / 2
  }

  #putsOff(lane: Lane, hasWaited: boolean, now: number): boolean {
    if (now < this.#pausedUntil || !this.#mayJoin(lane, hasWaited, now)) return true
    const ahead = this.#waitingBefore(lane)
    if (ahead === 0 && this.#isFree(now)) return false
    const wait = Math.max(0, this.#next - now) + ahead * this.#spacing
    return wait > (hasWaited ? LONGEST_HOLD_MS : HOLD_MS)
  }

  #isFree(now: number): boolean {
    const { connections = Number.POSITIVE_INFINITY } = this.#limits
    // Busy transports must not collect mails that then leave all at once.
    const mostStarting = Math.max(1, this.#rate * (HOLD_MS / 1000))
    return now >= this.#next && this.#inside < connections && this.#starting < mostStarting
  }

  #take(now: number): 'go' {
    this.#next = Math.max(this.#next, now - LATE_MS) + this.#interval
    this.#inside++
    this.#starting++
    return 'go'
  }

  #waitingBefore(lane: Lane): number {
    let ahead = 0
    for (const higher of LANES) {
      ahead += this.#lines[higher].size
      if (higher === lane) break
    }
    return ahead
  }

  #backlogEnd(lane: Lane): number {
    return Math.max(this.#given[lane].toReturning, this.#given[lane].toNew)
  }

  /** A new mail stays behind those of its lane that were put off, unless they leave turns unused. */
  #mayJoin(lane: Lane, hasWaited: boolean, now: number): boolean {
    if (hasWaited || this.#backlogEnd(lane) <= now) return true
    const unused = now - Math.max(this.#next, this.#pausedUntil)
    if (unused > DESERTED_MS + 2 * this.#spacing && this.#inside === 0) this.#given[lane] = none()
    return unused > UNUSED_MS && this.#waitingBefore(lane) === 0
  }

  /**
   * Gives out a time to come again. At the rate of the settings, times can be given out without limit. A learnt rate
   * changes too soon for that: times are given out only for as long ahead as the trouble has lasted, and a mail that
   * finds no room then is put off again. So a mail comes back only a few times, however long the trouble lasts.
   */
  #putOff(lane: Lane, hasWaited: boolean, now: number): number {
    this.backOff?.held(now)
    const given = this.#given[lane]
    const earliest = Math.max(now + HOLD_MS, this.#pausedUntil)
    if (this.#isAsked) return earliest
    const settled = this.#settledSpacing
    if (settled !== undefined && !(hasWaited && given.toReturning < earliest + COMING_BACK_MS)) {
      const moment = Math.max(earliest, given.toReturning, given.toNew)
      given.toNew = moment + settled
      return moment
    }
    const since = this.backOff?.began ?? now
    const ahead = Math.min(LONGEST_AHEAD_MS, Math.max(COMING_BACK_MS, now - since))
    const isBeyond = given.toReturning > earliest + ahead
    const moment = isBeyond ? earliest : Math.max(earliest, given.toReturning)
    given.toReturning = moment + this.#spacing
    return moment
  }

  /** Milliseconds from one mail to the next by the settings alone; undefined when they set no limit. */
  get #settledSpacing(): number | undefined {
    const { rate = Number.POSITIVE_INFINITY, connections } = this.#limits
    if (rate === Number.POSITIVE_INFINITY && connections === undefined) return undefined
    return Math.max(1000 / rate, this.#connectionSpacing)
  }

  /**
   * Lets the next mails go, highest lane first, and puts off those that have waited too long. Call it also when a
   * back-off has begun.
   */
  admit(): void {
    const now = this.#clock()
    const isPaused = now < this.#pausedUntil
    for (const lane of LANES) {
      const line = this.#lines[lane]
      for (const waiter of line) {
        const isFree = !isPaused && this.#isFree(now)
        if (!isFree && !isPaused && now < waiter.until) break
        line.delete(waiter)
        waiter.decide(isFree ? this.#take(now) : this.#putOff(lane, waiter.hasWaited, now))
      }
    }
    this.#wake(now)
  }

  /** Schedules the next call, for the next turn or when the first mail has waited too long. */
  #wake(now: number): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const firsts = LANES.flatMap((lane) => this.#lines[lane].values().next().value?.until ?? [])
    if (firsts.length === 0) return
    const next = this.#next > now ? [this.#next] : []
    this.#timer = setTimeout(() => this.admit(), Math.max(1, Math.ceil(Math.min(...firsts, ...next) - now)))
  }
}

function none(): GivenOut {
  return { toReturning: 0, toNew: 0 }
}
