import { LANES, type Lane } from '../ports/queue.ts'
import type { Limits } from '../settings/throttle-settings.ts'
import type { BackOff } from './throttle-back-off.ts'

/** Whose turn comes this soon waits in memory, the others in the store. Who has waited there before may wait longer here. */
const HOLD_MS = 1_000
const LONGEST_HOLD_MS = 2_000
/** A moment missed by less than this is made up for. */
const LATE_MS = 50
/** Who missed its moment gets another one within this time, as long as there is one free. */
const NEAR_MS = 60_000
/** A free moment nobody used for so long means that those we put off do not need it: newcomers may have it. */
const UNUSED_MS = 250
/** After so long without anybody, those who were put off will not come any more. */
const DESERTED_MS = 15_000
/** How long a mail takes, in milliseconds, before one has shown it (rather too short); and the weight of each that does. */
const FIRST_DURATION = 100
const WEIGHT = 0.1

/** `go`, or the moment at which to come again. */
export type Turn = 'go' | number

interface Waiter {
  /** By then it is its turn, or it is put off. */
  readonly until: number
  readonly hasWaited: boolean
  decide(turn: Turn): void
}

/** How far the moments are given away: to those who missed theirs, and to newcomers behind everybody. */
interface Ends {
  near: number
  far: number
}

/**
 * Lets the mails of one domain or one project through at their rate, and only so many at a time. Moments are evenly
 * spaced; the next free one goes to the highest lane that waits, so that no mail is behind those of a lower lane. Whose
 * turn is near waits here; others are told a moment to come again, each lane's one behind the other, and are let in
 * before those who come for the first time. Times are milliseconds of the clock that is given.
 */
export class Gate {
  /** Set while the domain puts mail off. */
  backOff: BackOff | undefined
  readonly #limits: Limits
  readonly #clock: () => number
  readonly #lines: Record<Lane, Set<Waiter>> = { transactional: new Set(), workflow: new Set(), campaign: new Set() }
  readonly #ends: Record<Lane, Ends> = {
    transactional: { near: 0, far: 0 },
    workflow: { near: 0, far: 0 },
    campaign: { near: 0, far: 0 },
  }
  #next: number
  #inside = 0
  #starting = 0
  #duration = FIRST_DURATION
  #timer: NodeJS.Timeout | undefined

  constructor(limits: Limits, clock: () => number) {
    this.#limits = limits
    this.#clock = clock
    this.#next = clock()
  }

  /** True when forgetting this gate changes nothing. */
  get isIdle(): boolean {
    const now = this.#clock()
    const isAwaited = LANES.some((lane) => this.#lines[lane].size > 0 || this.#backlogEnd(lane) > now)
    const isAtRest = this.backOff === undefined || this.backOff.isStale(now)
    return isAtRest && this.#inside === 0 && this.#next <= now && !isAwaited
  }

  /** The rate it is held to by the settings alone. */
  get limit(): number | undefined {
    return this.#limits.rate
  }

  /** When to come again, during a pause; undefined when there is none. */
  paused(lane: Lane, hasWaited: boolean): number | undefined {
    const now = this.#clock()
    return now < this.#pausedUntil ? this.#putOff(lane, hasWaited, now) : undefined
  }

  /** True when `enter` would put it off at once. */
  isFar(lane: Lane, hasWaited: boolean): boolean {
    return this.#isFar(lane, hasWaited, this.#clock())
  }

  /** Gives away a moment of the settings' rate; undefined when that would be no later than `after`, or they set none. */
  momentBehind(after: number, lane: Lane, hasWaited: boolean): number | undefined {
    if (this.#settledSpacing === undefined) return undefined
    const moment = this.#putOff(lane, hasWaited, this.#clock())
    return moment > after ? moment : undefined
  }

  /** The moment up to which all are given away. */
  backlogEnd(lane: Lane): number {
    return Math.max(this.#clock() + HOLD_MS, this.#backlogEnd(lane))
  }

  /**
   * Asks for a turn; `hasWaited` when the mail was put off before. After `go` the mail is inside: `started` and `leave`
   * must be called, or `giveBack`.
   */
  enter(lane: Lane, hasWaited: boolean): Turn | Promise<Turn> {
    const now = this.#clock()
    if (this.#isFar(lane, hasWaited, now)) return this.#putOff(lane, hasWaited, now)
    if (this.#ahead(lane) === 0 && this.#isFree(now)) return this.#take(now)
    return new Promise((decide) => {
      this.#lines[lane].add({ until: now + LONGEST_HOLD_MS, hasWaited, decide })
      if (this.#timer === undefined) this.#wake(now)
    })
  }

  /** It has its slot: the next one may queue for one. */
  started(): void {
    this.#starting--
    this.look()
  }

  /** It is over; `duration` in milliseconds from `started`, when it was tried. */
  leave(duration?: number): void {
    this.#inside--
    if (duration !== undefined) this.#duration += WEIGHT * (duration - this.#duration)
    this.look()
  }

  /** It did not use its turn, and another may have it. */
  giveBack(): void {
    this.#next -= this.#interval
    this.#starting--
    this.leave()
  }

  /** Ends the back-off: those put off keep their moments, but nobody needs to queue behind them. */
  recover(): void {
    this.backOff = undefined
    this.#next = Math.min(this.#next, this.#clock() + this.#interval)
    if (this.#settledSpacing === undefined) for (const lane of LANES) this.#ends[lane] = { near: 0, far: 0 }
    this.look()
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

  /** The same as far as one can tell when the number of connections is what limits. */
  get #spacing(): number {
    return Math.max(this.#interval, this.#connectionSpacing)
  }

  /** Half of what was measured: who comes too early is told again, but a connection left idle is lost time. */
  get #connectionSpacing(): number {
    const { connections } = this.#limits
    return connections === undefined ? 0 : this.#duration / connections / 2
  }

  #isFar(lane: Lane, hasWaited: boolean, now: number): boolean {
    if (now < this.#pausedUntil || !this.#mayJoin(lane, hasWaited, now)) return true
    const ahead = this.#ahead(lane)
    if (ahead === 0 && this.#isFree(now)) return false
    const wait = Math.max(0, this.#next - now) + ahead * this.#spacing
    return wait > (hasWaited ? LONGEST_HOLD_MS : HOLD_MS)
  }

  #isFree(now: number): boolean {
    const { connections = Number.POSITIVE_INFINITY } = this.#limits
    // Transports that are busy must not gather mails that then leave all at once.
    const mostStarting = Math.max(1, this.#rate * (HOLD_MS / 1000))
    return now >= this.#next && this.#inside < connections && this.#starting < mostStarting
  }

  #take(now: number): 'go' {
    this.#next = Math.max(this.#next, now - LATE_MS) + this.#interval
    this.#inside++
    this.#starting++
    return 'go'
  }

  #ahead(lane: Lane): number {
    let ahead = 0
    for (const higher of LANES) {
      ahead += this.#lines[higher].size
      if (higher === lane) break
    }
    return ahead
  }

  #backlogEnd(lane: Lane): number {
    return Math.max(this.#ends[lane].near, this.#ends[lane].far)
  }

  /** A newcomer stays behind those of its lane who were put off, unless they leave moments unused. */
  #mayJoin(lane: Lane, hasWaited: boolean, now: number): boolean {
    if (hasWaited || this.#backlogEnd(lane) <= now) return true
    const unused = now - Math.max(this.#next, this.#pausedUntil)
    if (unused > DESERTED_MS + 2 * this.#spacing && this.#inside === 0) this.#ends[lane] = { near: 0, far: 0 }
    return unused > UNUSED_MS && this.#ahead(lane) === 0
  }

  /**
   * Gives away a moment. At the rate of the settings moments can be given away for as long as it takes. A learnt rate
   * changes too soon for that: then moments are given away only for a while as long as the trouble lasts already, and
   * who finds no room when it comes again is put off again; a mail is so looked at a few times, however long it takes.
   */
  #putOff(lane: Lane, hasWaited: boolean, now: number): number {
    this.backOff?.held(now)
    const ends = this.#ends[lane]
    const earliest = Math.max(now + HOLD_MS, this.#pausedUntil)
    const settled = this.#settledSpacing
    if (settled !== undefined && !(hasWaited && ends.near < earliest + NEAR_MS)) {
      const moment = Math.max(earliest, ends.near, ends.far)
      ends.far = moment + settled
      return moment
    }
    const since = this.backOff?.began ?? now
    const isBeyond = ends.near > earliest + Math.max(NEAR_MS, now - since)
    const moment = isBeyond ? earliest : Math.max(earliest, ends.near)
    ends.near = moment + this.#spacing
    return moment
  }

  /** Milliseconds from one mail to the next by the settings alone; undefined when they set no limit. */
  get #settledSpacing(): number | undefined {
    const { rate = Number.POSITIVE_INFINITY, connections } = this.#limits
    if (rate === Number.POSITIVE_INFINITY && connections === undefined) return undefined
    return Math.max(1000 / rate, this.#connectionSpacing)
  }

  /** To be called when a back-off has begun, too. Lets go whose turn it is, highest lane first, and puts off who has waited too long. */
  look(): void {
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

  /** Looks again at the next moment, or when the first has waited too long. */
  #wake(now: number): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const firsts = LANES.flatMap((lane) => this.#lines[lane].values().next().value?.until ?? [])
    if (firsts.length === 0) return
    const next = this.#next > now ? [this.#next] : []
    this.#timer = setTimeout(() => this.look(), Math.max(1, Math.ceil(Math.min(...firsts, ...next) - now)))
  }
}
