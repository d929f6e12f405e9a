import type { Store } from '../../ports/store/store.ts'

/** The periods of quotas that are counted to their end. */
const CALENDAR_PERIODS = ['hour', 'day', 'month'] as const
type CalendarPeriod = (typeof CALENDAR_PERIODS)[number]

/** All periods; `rolling` is any 24 hours. */
export const QUOTA_PERIODS = [...CALENDAR_PERIODS, 'rolling'] as const
export type QuotaPeriod = (typeof QUOTA_PERIODS)[number]

/** The parts of 24 hours that are counted apart, in milliseconds, and how many there are. */
const PART_MS = 900_000
const PARTS = 96
/**
 * So many parts count before that of now: those of 24 hours, and one more for mail that was counted at the end of a part
 * and sent in the next. That after now counts, too, since clocks differ.
 */
const BEFORE = PARTS + 1
/** When there is room for this part of the quota, mail that waits looks again. */
const ROOM = 100

/** The name in the store of what is counted now, and from when until when it is that. */
interface Now {
  readonly key: string
  readonly from: Date
  readonly until: Date
}

/** How much was counted, and when there is more room. */
interface Granted {
  readonly granted: number
  readonly until: Date
}

/** How the mail of a period is counted in the store, for all processes. */
export interface QuotaWindow {
  /** Whether what was counted still counts when `Now` is over. */
  readonly outlasts: boolean
  at(now: Date): Now
  /** Counts up to `wanted`, so that no more than `most` are counted in all. Throws what the store throws. */
  take(at: Now, now: Date, wanted: number, most: number): Promise<Granted>
}

/** That of a transport. */
export function quotaWindow(
  transport: string,
  period: QuotaPeriod,
  store: Pick<Store, 'attempts' | 'transaction'>,
): QuotaWindow {
  if (period === 'rolling') return new RollingDay(transport, store)
  return {
    outlasts: false,
    at: (now) => periodOf(transport, period, now),
    take: async ({ key, until }, now, wanted, most) => ({
      granted: await store.attempts.take(key, now, until, wanted, most),
      until,
    }),
  }
}

/**
 * Any 24 hours. Each quarter of an hour is counted under its own name, and all that belong to the last 24 hours count
 * together: never too little, and half an hour's mail too much at most.
 */
class RollingDay implements QuotaWindow {
  readonly outlasts = true

  constructor(
    private readonly transport: string,
    private readonly store: Pick<Store, 'attempts' | 'transaction'>,
  ) {}

  at(now: Date): Now {
    const part = partAt(now)
    return { key: partKey(this.transport, part), from: beginOf(part), until: beginOf(part + 1) }
  }

  take({ key, from }: Now, now: Date, wanted: number, most: number): Promise<Granted> {
    const part = partAt(from)
    const keys = partsOf(this.transport, part)
    return this.store.transaction(async ({ attempts }) => {
      // counts nothing, and has the next process wait until this one has counted
      await attempts.take(`quota ${this.transport} rolling`, now, endOf(part), 0, 1)
      const counted = await attempts.counted([...keys.keys()], now)
      const room = most - sumOf(counted)
      const granted = Math.max(0, Math.min(wanted, room))
      if (granted > 0) await attempts.take(key, now, endOf(part), granted, Number.MAX_SAFE_INTEGER)
      const missing = Math.max(wanted - granted, Math.ceil(most / ROOM)) - (room - granted)
      return { granted, until: renewalOf(keys, counted, missing) ?? endOf(part) }
    })
  }
}

/** Where the store counts a period, and when some of it is free again. */
export interface QuotaCount {
  readonly keys: readonly string[]
  renewsAt(counted: ReadonlyMap<string, number>): Date
}

/** That of now. */
export function quotaCount(transport: string, period: QuotaPeriod, now: Date): QuotaCount {
  if (period !== 'rolling') {
    const { key, until } = periodOf(transport, period, now)
    return { keys: [key], renewsAt: () => until }
  }
  const part = partAt(now)
  const keys = partsOf(transport, part)
  return { keys: [...keys.keys()], renewsAt: (counted) => renewalOf(keys, counted, 1) ?? endOf(part) }
}

/** How many were counted under all these names. */
export function sumOf(counted: ReadonlyMap<string, number>): number {
  return [...counted.values()].reduce((sum, count) => sum + count, 0)
}

function partAt(now: Date): number {
  return Math.floor(now.getTime() / PART_MS)
}

function beginOf(part: number): Date {
  return new Date(part * PART_MS)
}

/** Until when a part counts. */
function endOf(part: number): Date {
  return beginOf(part + BEFORE + 1)
}

function partKey(transport: string, part: number): string {
  return `quota ${transport} rolling ${part}`
}

/** The parts that count in this one by their names, the oldest first. */
function partsOf(transport: string, part: number): ReadonlyMap<string, number> {
  const parts = Array.from({ length: BEFORE + 2 }, (_, i) => part - BEFORE + i)
  return new Map(parts.map((each) => [partKey(transport, each), each]))
}

/** When so many of those that were counted do not count any more. */
function renewalOf(
  keys: ReadonlyMap<string, number>,
  counted: ReadonlyMap<string, number>,
  missing: number,
): Date | undefined {
  let freed = 0
  let last: Date | undefined
  for (const [key, part] of keys) {
    const count = counted.get(key) ?? 0
    if (count === 0) continue
    freed += count
    last = endOf(part)
    if (freed >= missing) return last
  }
  return last
}

/** The period of now: its name in the store, and when it begins and ends. */
function periodOf(transport: string, period: CalendarPeriod, now: Date): Now {
  const [year, month, day, hour] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), now.getUTCHours()]
  const [from, until] = {
    hour: [Date.UTC(year, month, day, hour), Date.UTC(year, month, day, hour + 1)] as const,
    day: [Date.UTC(year, month, day), Date.UTC(year, month, day + 1)] as const,
    month: [Date.UTC(year, month), Date.UTC(year, month + 1)] as const,
  }[period]
  const written = now.toISOString().slice(0, { hour: 13, day: 10, month: 7 }[period])
  return { key: `quota ${transport} ${period} ${written}`, from: new Date(from), until: new Date(until) }
}
