import * as v from 'valibot'
import { instantOf, zoneless } from './iso-date.ts'
import { say } from './parse.ts'
import { oddWhen } from './unknown-keys.ts'

/** A quarter of an hour: every zone has been whole quarters away from UTC since 1972. */
const QUARTER_MS = 900_000
const DAY_MS = 96 * QUARTER_MS
/** The years that days are named in. */
const YEARS = { from: 1972, to: 9998 }

/** The name of a time zone in the IANA database, such as `Europe/Berlin` or `UTC`. */
export const TimeZone = v.pipe(
  v.string(),
  v.maxLength(64),
  v.check(isTimeZone, say('custom', 'must be the name of a time zone such as Europe/Berlin, Asia/Kolkata or UTC')),
)

/** A day as `2026-01-31`; where a moment is meant instead, a date-time of ISO 8601, which is read as a Date. */
export const DayOrMoment = v.pipe(
  v.string(),
  v.transform((text) => text.trim()),
  v.check(
    (text) => instantOf(text) !== undefined,
    say('invalid_date', 'must be a day such as 2026-01-31, or an ISO 8601 date such as 2026-01-31T09:00:00Z'),
  ),
  v.check((text) => isWithin(text), say('invalid_date', `must be in the years ${YEARS.from} to ${YEARS.to}`)),
  v.transform((text): string | Date => (text.length === 10 ? text : (instantOf(text) as Date))),
  oddWhen(zoneless),
)

/** A day as `2026-01-31`. */
export const Day = v.pipe(
  v.string(),
  v.check(
    (text) => text.length === 10 && instantOf(text) !== undefined && isWithin(text),
    say('invalid_date', `must be a day such as 2026-01-31, in the years ${YEARS.from} to ${YEARS.to}`),
  ),
)

/** The days of one time zone. */
export class Days {
  readonly #format: Intl.DateTimeFormat
  readonly #clock: Intl.DateTimeFormat

  /** `zone` as `TimeZone` has read it. */
  constructor(zone: string) {
    this.#clock = new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      timeZoneName: 'longOffset',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    })
    // of all languages this one writes dates as ISO 8601 does
    this.#format = new Intl.DateTimeFormat('sv-SE', {
      timeZone: zone,
      calendar: 'gregory',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    })
  }

  /** The day it is at this moment. */
  of(moment: Date): string {
    return this.#format.format(moment)
  }

  /** This moment as clocks show it there, with the distance from UTC: 2026-01-31T09:00:00+01:00. */
  clock(moment: Date): string {
    const parts = this.#clock.formatToParts(moment)
    const of = (wanted: string) => parts.find(({ type }) => type === wanted)?.value ?? ''
    const distance = of('timeZoneName').replace(/^GMT/, '').replace('\u2212', '-')
    return `${this.of(moment)}T${of('hour')}:${of('minute')}:${of('second')}${distance || '+00:00'}`
  }

  /**
   * When clocks show this time (`09:00`, `09:00:30`) on that day. Of a time that they show twice it is the first; one that
   * they leave out is as much later as they are put forward.
   */
  at(day: string, time: string): Date {
    const [first] = this.all(day, time)
    const wall = Date.parse(`${day}T${time}Z`)
    return first ?? new Date(wall - this.#ahead(wall - DAY_MS))
  }

  /** Every moment at which clocks show this time on that day: mostly one, two where they are put back, or none. */
  all(day: string, time: string): readonly Date[] {
    const wall = Date.parse(`${day}T${time}Z`)
    const [before, after] = [this.#ahead(wall - DAY_MS), this.#ahead(wall + DAY_MS)]
    const tried = new Set([wall - Math.max(before, after), wall - Math.min(before, after)])
    return [...tried].filter((moment) => moment + this.#ahead(moment) === wall).map((moment) => new Date(moment))
  }

  /** The first moment on or after that time of the day: where clocks leave it out, when they are put forward over it. */
  from(day: string, time: string): Date {
    const [first] = this.all(day, time)
    if (first) return first
    const wanted = `${day}T${time}`
    let moment = this.at(day, time).getTime()
    moment -= moment % QUARTER_MS
    while (this.clock(new Date(moment - QUARTER_MS)) > wanted) moment -= QUARTER_MS
    return new Date(moment)
  }

  /** How far clocks are ahead of UTC at this moment, in milliseconds. */
  #ahead(moment: number): number {
    const second = moment - (moment % 1000)
    return Date.parse(`${this.clock(new Date(second)).slice(0, 19)}Z`) - second
  }

  /** When the day begins: mostly at midnight, at one where midnight is left out that day. A quarter of an hour in UTC. */
  start(day: string): Date {
    const noonish = Date.parse(day)
    // no zone is farther away; where a day is left out altogether, it has no length
    let [before, from] = [noonish - 15 * 4 * QUARTER_MS, noonish + 13 * 4 * QUARTER_MS]
    while (from - before > QUARTER_MS) {
      const middle = before + Math.floor((from - before) / 2 / QUARTER_MS) * QUARTER_MS
      if (this.of(new Date(middle)) < day) before = middle
      else from = middle
    }
    return new Date(from)
  }

  /** The beginnings of this day and the ones after it, `count` in all. */
  starts(first: string, count: number): readonly Date[] {
    const starts: Date[] = []
    for (let day = first; starts.length < count; day = dayAfter(day, 1)) {
      const likely = starts.at(-1)?.getTime()
      const next = likely === undefined ? undefined : new Date(likely + DAY_MS)
      // nearly every day has 24 hours
      starts.push(next && this.#begins(next, day) ? next : this.start(day))
    }
    return starts
  }

  #begins(moment: Date, day: string): boolean {
    return this.of(moment) === day && this.of(new Date(moment.getTime() - QUARTER_MS)) < day
  }
}

/** The day so many days later, or earlier when negative. */
export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)
}

/** How many days lie between, 0 for the same. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS)
}

function isWithin(text: string): boolean {
  const year = instantOf(text)?.getUTCFullYear() ?? 0
  return year >= YEARS.from && year <= YEARS.to
}

/** Whether there is a time zone of this name. Only names: an offset such as `+05:07` is no whole quarter. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('sv-SE', { timeZone: name })
    return true
  } catch {
    return false
  }
}
