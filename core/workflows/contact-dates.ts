import { momentIn } from '../values/iso-date.ts'
import type { Json } from '../values/json.ts'
import { RecentlyUsed } from '../values/recently-used.ts'
import { Days, dayAfter } from '../values/time-zone.ts'
import { zoneNamed } from '../values/zone-names.ts'

/** How long the units of offsets are. */
export const UNIT_MS = { minutes: 60_000, hours: 3_600_000, days: 86_400_000, weeks: 604_800_000 } as const
/** The longest offset, in days. */
export const MAX_OFFSET_DAYS = 365
/** Where a contact's time zone is looked for. */
export const ZONE_FIELD = 'timezone'

/** The years that dates are read in. */
const YEARS = { from: 1000, to: 9998 }

/** The rule that makes a moment of a date: the same words for steps that wait for it and for triggers. */
export interface DateRule {
  readonly offset?:
    | {
        readonly amount: number
        readonly unit: keyof typeof UNIT_MS
        readonly direction: 'before' | 'after'
      }
    | null
    | undefined
  /** The time of day, instead of the date's own. */
  readonly at?: string | null | undefined
}

/** A date in the data: a whole day, or a moment. */
export interface FoundDate {
  readonly moment: Date
  readonly isDay: boolean
}

/** The first date among the values of a field. */
export function firstDate(values: readonly Json[]): FoundDate | 'missing' | 'no-date' {
  const given = values.filter((value) => value !== null)
  if (given.length === 0) return 'missing'
  return given.flatMap((value) => dateIn(value) ?? [])[0] ?? 'no-date'
}

/** The date that a value is, as filters read dates; a day is one of the contact's zone. */
function dateIn(value: Json): FoundDate | undefined {
  const moment = momentIn(value)
  const year = moment?.getUTCFullYear() ?? 0
  if (moment === undefined || year < YEARS.from || year > YEARS.to) return undefined
  return { moment, isDay: typeof value === 'string' && value.length === 'yyyy-mm-dd'.length && value.includes('-') }
}

/** The moment that a rule makes of a date, in its year or another one, where these are the days. */
export function momentFor(found: FoundDate, { offset, at }: DateRule, days: Days, year?: number): Date {
  const isCalendar = offset?.unit === 'days' || offset?.unit === 'weeks'
  const length = lengthOf(offset)
  const isMoment = !found.isDay && at == null && !isCalendar && year === undefined
  // clocks show some moments twice
  if (isMoment) return new Date(found.moment.getTime() + length)
  const day = dayFor(found, days, year)
  const moved = isCalendar ? dayAfter(day, length / UNIT_MS.days) : day
  const time = at ?? (found.isDay ? '00:00' : days.clock(found.moment).slice(11, 19))
  return new Date(days.at(moved, time).getTime() + (isCalendar ? 0 : length))
}

/** The day of a date, in its year or another one. */
export function dayFor({ moment, isDay }: FoundDate, days: Days, year?: number): string {
  const day = isDay ? moment.toISOString().slice(0, 10) : days.of(moment)
  return year === undefined ? day : inOtherYear(day, year)
}

/** How long after the date, in milliseconds; negative before it. */
export function lengthOf(offset: DateRule['offset']): number {
  if (offset == null) return 0
  return (offset.direction === 'before' ? -1 : 1) * offset.amount * UNIT_MS[offset.unit]
}

/** The same day of another year; 29 February is the 28th where there is none. */
function inOtherYear(day: string, year: number): string {
  const wanted = `${String(year).padStart(4, '0')}${day.slice(4)}`
  const isThere = new Date(wanted).toISOString().startsWith(wanted)
  return isThere ? wanted : `${wanted.slice(0, 8)}28`
}

/** A time zone with its calendar. */
export interface Zone {
  readonly name: string
  readonly days: Days
  /** Whether the contact names a zone that there is not. */
  readonly isUnknown: boolean
}

/** The zone that a contact's field names, else the other one. */
export function zoneAmong(values: readonly Json[], otherwise: string): Zone {
  const [own] = values.filter((value) => value !== null && value !== '')
  const known = typeof own === 'string' ? zoneNamed(own) : undefined
  const name = known ?? otherwise
  return { name, days: daysOf(name), isUnknown: own !== undefined && known === undefined }
}

/** To make a calendar takes longer than to use it. */
const CALENDARS = new RecentlyUsed<Days>(100, 100, () => 1)

function daysOf(zone: string): Days {
  const days = CALENDARS.get(zone) ?? new Days(zone)
  CALENDARS.set(zone, days)
  return days
}
