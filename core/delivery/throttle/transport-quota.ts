import { randomInt } from 'node:crypto'
import type { Kit } from '../../kit.ts'
import type { Lane } from '../../ports/queue.ts'
import type { Store } from '../../ports/store/store.ts'
import type { QuotaSettings } from '../../settings/throttle-settings.ts'
import { QUOTA_PERIODS, type QuotaPeriod, type QuotaWindow, quotaCount, quotaWindow, sumOf } from './quota-windows.ts'

/** Why mail waits that is more than a transport may take. */
export const WAITS_FOR_TRANSPORT = 'As much mail as its transport may take in a period has gone.'

/** How much of a quota is used. */
export interface QuotaState {
  readonly transport: string
  readonly period: QuotaPeriod
  /** How many recipients may be sent to in the period. */
  readonly most: number
  /** How many were. */
  readonly sent: number
  /** When the next period begins (UTC); of any 24 hours, when the oldest mail does not count any more. */
  readonly renewsAt: Date
}

/** The largest part of a quota that a process takes at once, and the most that it takes. */
const PART = 100
const MOST_AT_ONCE = 80
/** After so many milliseconds a process gives back what it took and did not use. */
const UNUSED_MS = 1_000
/** A quota that was used up is looked at again after so many milliseconds: other processes may have given back. */
const LOOK_AGAIN_MS = 10_000

/** A mail that asks for its part. */
interface Asking<Answer> {
  readonly count: number
  decide(answer: Answer): void
  fail(error: unknown): void
}

/** Transactional mail, and the other, which leaves a part of the quota to it. */
type Kind = 'first' | 'other'

/** The part of a period that was counted for a mail. */
interface Part {
  readonly key: string
  readonly kind: Kind
  readonly count: number
}

/**
 * One period of a quota. The store counts for all processes. To spare it a write for each mail, a process takes a few at
 * once, and gives back what it does not use: more than the quota never goes. Of a process that crashes, these few stay counted.
 */
export class PeriodQuota {
  readonly #most: Readonly<Record<Kind, number>>
  readonly #asking: Record<Kind, Asking<Part | Date>[]> = { first: [], other: [] }
  readonly #isAsking: Record<Kind, boolean> = { first: false, other: false }
  readonly #fullFrom: Record<Kind, number> = { first: Number.NEGATIVE_INFINITY, other: Number.NEGATIVE_INFINITY }
  #key = ''
  #from = new Date(0)
  #until = new Date(0)
  /** Until when it is used up, where it is. */
  readonly #fullUntil: Record<Kind, Date> = { first: new Date(0), other: new Date(0) }
  /** Taken, and not used yet. The other mail gets nothing of what was taken for the first. */
  readonly #left: Record<Kind, number> = { first: 0, other: 0 }
  #timer: NodeJS.Timeout | undefined

  constructor(
    private readonly transport: string,
    private readonly window: QuotaWindow,
    most: number,
    keep: number,
    private readonly store: Pick<Store, 'attempts'>,
    private readonly kit: Pick<Kit, 'now' | 'log'>,
  ) {
    this.#most = { first: most, other: Math.max(1, Math.floor(most * (1 - keep / 100))) }
  }

  /** Until when it is used up, as far as this process knows. */
  fullUntil(lane: Lane): Date | undefined {
    this.#roll()
    return performance.now() < this.#fullFrom[kindOf(lane)] + LOOK_AGAIN_MS ? this.#fullUntil[kindOf(lane)] : undefined
  }

  /** Counts so many. Answers the part that it counted, or until when they do not fit. Throws what the store throws. */
  take(lane: Lane, wanted: number): Part | Date | Promise<Part | Date> {
    this.#roll()
    const kind = kindOf(lane)
    // a mail with more recipients than a whole period allows would wait for ever
    const count = Math.min(wanted, this.#most[kind])
    if (this.#available(kind) >= count) {
      this.#use(kind, count)
      return { key: this.#key, kind, count }
    }
    return new Promise((decide, fail) => {
      this.#asking[kind].push({ count, decide, fail })
      if (!this.#isAsking[kind]) void this.#ask(kind)
    })
  }

  /** Takes a part back whose mail was not sent. */
  giveBack({ key, kind, count }: Part): void {
    this.#roll()
    if (key === this.#key) {
      this.#left[kind] += count
      this.#fullFrom.first = this.#fullFrom.other = Number.NEGATIVE_INFINITY
      this.#rest()
    } else if (this.window.outlasts) void this.#release(key, count)
  }

  /** Gives back what was not used. Never rejects. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const [key, left] = [this.#key, this.#available('first')]
    this.#left.first = this.#left.other = 0
    if (left > 0 && (this.window.outlasts || this.#until > this.kit.now())) await this.#release(key, left)
  }

  async #release(key: string, count: number): Promise<void> {
    try {
      await this.store.attempts.giveBack(key, count)
    } catch (error) {
      this.kit.log.warn('could not give back a part of a quota', { transport: this.transport, count, error })
    }
  }

  /** How much mail of this kind may go without asking the store. */
  #available(kind: Kind): number {
    return kind === 'first' ? this.#left.first + this.#left.other : this.#left.other
  }

  /** Uses so many of those available. */
  #use(kind: Kind, count: number): void {
    const own = Math.min(count, this.#left[kind])
    this.#left[kind] -= own
    this.#left.other -= count - own
  }

  /** Answers those that ask, in their order. */
  async #ask(kind: Kind): Promise<void> {
    this.#isAsking[kind] = true
    // those that ask at the same time are counted together
    await new Promise((resolve) => setImmediate(resolve))
    const asking = this.#asking[kind].splice(0)
    this.#isAsking[kind] = false
    const [at, most] = [{ key: this.#key, from: this.#from, until: this.#until }, this.#most[kind]]
    const wanted = asking.reduce((sum, { count }) => sum + count, 0)
    const more = kind === 'first' ? 0 : Math.min(MOST_AT_ONCE, Math.floor(most / PART))
    const own = Math.min(this.#available(kind), wanted)
    this.#use(kind, own)
    const asked = wanted + more - own
    let granted = own
    let { until } = at
    try {
      if (asked > 0) {
        const taken = await this.window.take(at, this.kit.now(), asked, most)
        granted += taken.granted
        until = taken.until
      }
      for (const { count, decide } of asking) {
        const fits = granted >= count
        if (fits) granted -= count
        // a mail with many recipients does not stop those with fewer
        else if (granted === 0 && at.key === this.#key) {
          this.#fullFrom[kind] = performance.now()
          this.#fullUntil[kind] = until
        }
        decide(fits ? { key: at.key, kind, count } : until)
      }
    } catch (error) {
      for (const { fail } of asking) fail(error)
    }
    // the rest of a period that is over is of no use
    if (at.key === this.#key) this.#left[kind] += granted
    else if (this.window.outlasts && granted > 0) void this.#release(at.key, granted)
    this.#rest()
  }

  /** The rest goes back when it is not used within a second. */
  #rest(): void {
    if (this.#available('first') === 0) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.close(), UNUSED_MS)
    this.#timer.unref()
  }

  /** Begins the period of now, which is an earlier one when the clock is set back. */
  #roll(): void {
    const now = this.kit.now()
    if (now >= this.#from && now < this.#until) return
    void this.close()
    const share = this.window.at(now)
    this.#key = share.key
    this.#from = share.from
    this.#until = share.until
    this.#fullFrom.first = this.#fullFrom.other = Number.NEGATIVE_INFINITY
  }
}

/** How long a mail waits for its second, in milliseconds. */
const LONGEST_WAIT_MS = 5_000
/** A process does not come back right at the beginning of a second, so that several do not come together. */
const SPREAD_MS = 20
/** The count of a second is kept for longer, since the clocks of processes differ. */
const SECOND_KEPT_MS = 30_000

/** The quota of a second. Mail waits for its turn in memory, transactional mail first: it has its slot, and the second is short. */
export class SecondQuota {
  #waiting: (Asking<boolean> & { readonly kind: Kind; readonly since: number })[] = []
  #isRunning = false
  /** The count of a second where no other process counts. */
  #own = { second: 0, count: 0 }

  constructor(
    private readonly transport: string,
    private readonly most: number,
    private readonly store: Pick<Store, 'attempts' | 'exclusive'>,
    private readonly kit: Pick<Kit, 'now'>,
  ) {}

  /** Answers when so many may go; false when that takes too long. Throws what the store throws. */
  turn(lane: Lane, wanted: number): Promise<boolean> {
    const count = Math.min(wanted, this.most)
    const kind = kindOf(lane)
    const behind = kind === 'first' ? this.#waiting.findIndex((each) => each.kind !== kind) : -1
    const place = behind < 0 ? this.#waiting.length : behind
    return new Promise((decide, fail) => {
      this.#waiting.splice(place, 0, { count, kind, decide, fail, since: performance.now() })
      if (!this.#isRunning) void this.#run()
    })
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.length > 0) {
      await this.#grant()
      const [next] = this.#waiting
      if (next === undefined) break
      const rest = 1_000 - (this.kit.now().getTime() % 1_000)
      await new Promise((resolve) => setTimeout(resolve, rest + randomInt(SPREAD_MS)))
      const late = performance.now() - LONGEST_WAIT_MS
      for (const { since, decide } of this.#waiting) if (since < late) decide(false)
      this.#waiting = this.#waiting.filter(({ since }) => since >= late)
    }
    this.#isRunning = false
  }

  async #grant(): Promise<void> {
    const asking = this.#waiting
    const wanted = Math.min(
      this.most,
      asking.reduce((sum, { count }) => sum + count, 0),
    )
    try {
      let granted = await this.#take(wanted)
      while (asking[0] !== undefined && asking[0].count <= granted) {
        granted -= asking[0].count
        asking.shift()?.decide(true)
      }
    } catch (error) {
      for (const { fail } of asking.splice(0)) fail(error)
    }
  }

  async #take(wanted: number): Promise<number> {
    const now = this.kit.now()
    const second = Math.floor(now.getTime() / 1_000)
    if (!this.store.exclusive) {
      const until = new Date(now.getTime() + SECOND_KEPT_MS)
      return this.store.attempts.take(`quota ${this.transport} second ${second}`, now, until, wanted, this.most)
    }
    if (this.#own.second !== second) this.#own = { second, count: 0 }
    const granted = Math.min(wanted, this.most - this.#own.count)
    this.#own.count += granted
    return granted
  }
}

/** The parts of the periods that were counted for a mail, in the order of the periods. */
type Receipt = readonly Part[]

/** The quotas of a transport. */
export class TransportQuota {
  readonly #periods: readonly PeriodQuota[]
  readonly #second: SecondQuota | undefined

  constructor(
    name: string,
    { second, keep, ...periods }: QuotaSettings,
    store: Pick<Store, 'attempts' | 'exclusive' | 'transaction'>,
    private readonly kit: Pick<Kit, 'now' | 'log'>,
  ) {
    this.#periods = QUOTA_PERIODS.flatMap((period) => {
      const most = periods[period]
      if (most === undefined) return []
      return [new PeriodQuota(name, quotaWindow(name, period, store), most, keep, store, kit)]
    })
    this.#second = second === undefined ? undefined : new SecondQuota(name, second, store, kit)
  }

  /** Until when mail of this lane does not fit, as far as this process knows; undefined when it may. */
  fullUntil(lane: Lane): Date | undefined {
    let latest: Date | undefined
    for (const period of this.#periods) {
      const until = period.fullUntil(lane)
      if (until !== undefined && (latest === undefined || until > latest)) latest = until
    }
    return latest
  }

  /**
   * Counts a mail with so many recipients. Answers until when it does not fit, or its receipt. Throws what the store
   * throws.
   */
  async take(lane: Lane, count: number): Promise<Receipt | Date> {
    // all have had it by now, or want no copy
    if (count === 0) return []
    const parts: Part[] = []
    try {
      for (const period of this.#periods) {
        const part = await period.take(lane, count)
        if (part instanceof Date) {
          this.giveBack(parts)
          return part
        }
        parts.push(part)
      }
      if (this.#second === undefined || (await this.#second.turn(lane, count))) return parts
    } catch (error) {
      this.giveBack(parts)
      throw error
    }
    this.giveBack(parts)
    return new Date(this.kit.now().getTime() + 1_000)
  }

  /** The mail was certainly not sent. */
  giveBack(receipt: Receipt): void {
    for (const [i, part] of receipt.entries()) this.#periods[i]?.giveBack(part)
  }

  /** Gives back what was taken and not used. Never rejects. */
  async close(): Promise<void> {
    await Promise.all(this.#periods.map((period) => period.close()))
  }
}

/** How much of the quotas of transports is used. */
export async function quotaStates(
  { attempts }: Pick<Store, 'attempts'>,
  transports: Readonly<Record<string, { readonly quota?: QuotaSettings | undefined }>>,
  now: Date,
): Promise<readonly QuotaState[]> {
  const all = Object.entries(transports).flatMap(([transport, { quota }]) =>
    QUOTA_PERIODS.flatMap((period) => {
      const most = quota?.[period]
      if (most === undefined) return []
      return [{ count: quotaCount(transport, period, now), transport, period, most }]
    }),
  )
  if (all.length === 0) return []
  const counted = await attempts.counted(
    all.flatMap(({ count: { keys } }) => keys),
    now,
  )
  return all.map(({ count: { keys, renewsAt }, transport, period, most }) => {
    const own = new Map(keys.map((key) => [key, counted.get(key) ?? 0]))
    return { transport, period, most, sent: sumOf(own), renewsAt: renewsAt(own) }
  })
}

function kindOf(lane: Lane): Kind {
  return lane === 'transactional' ? 'first' : 'other'
}
