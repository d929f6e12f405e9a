import * as v from 'valibot'
import { say } from './parse.ts'
import { Days, dayAfter } from './time-zone.ts'

/** The days of the week, as `Date.getUTCDay` counts them. */
export const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const
export type Weekday = (typeof WEEKDAYS)[number]

/** A time of day, such as `09:00`. */
export const TimeOfDay = v.pipe(
  v.string(),
  v.regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, say('custom', 'must be a time of day from 00:00 to 23:59, such as 09:00')),
)

/** When something may happen: on these days, from one time of day until another. A span over midnight belongs to the day it begins on. */
export interface Hours {
  /** Absent: every day. */
  readonly days?: readonly Weekday[] | undefined
  /** Absent together with `until`: the whole day. */
  readonly from?: string | undefined
  readonly until?: string | undefined
}

/** A stretch of time: from its beginning until just before its end. */
interface Span {
  readonly from: Date
  readonly until: Date
}

/** In how many days a time comes that clocks show on some day of the week; they leave it out once in a while. */
const DAYS_AHEAD = 30
/** How many days are remembered. */
const KEPT = 500

/**
 * Hours by the clocks of one time zone. Clocks show a moment within them at every moment that counts as open: where they
 * are put back over the beginning, the hours begin the second time, and where they are put back over the end, they end the first time.
 */
export class OpenHours {
  readonly days: Days
  readonly #hours: Hours
  readonly #weekdays: ReadonlySet<number>
  readonly #spans = new Map<string, Span | undefined>()

  /** `zone` as `TimeZone` has read it. */
  constructor(hours: Hours, zone: string) {
    this.#hours = hours
    this.days = new Days(zone)
    this.#weekdays = new Set((hours.days ?? WEEKDAYS).map((day) => WEEKDAYS.indexOf(day)))
  }

  /** The first open moment from this one on. */
  next(moment: Date): Date {
    const { from } = this.#spanAt(moment)
    return from > moment ? from : moment
  }

  /** When so many milliseconds of open hours have passed since this moment, or `mostSpans` spans of them. */
  after(moment: Date, openMs: number, mostSpans = Number.POSITIVE_INFINITY): Date {
    let [at, left] = [moment, openMs]
    for (let spans = 1; ; spans++) {
      const { from, until } = this.#spanAt(at)
      const begin = Math.max(from.getTime(), at.getTime())
      if (begin + left < until.getTime() || spans >= mostSpans) return new Date(Math.min(begin + left, until.getTime()))
      left -= until.getTime() - begin
      at = until
    }
  }

  /** The next open moment, from this one on, at which clocks show that time. */
  nextAt(moment: Date, time: string): Date {
    const today = this.days.of(moment)
    for (let ahead = 0; ahead < DAYS_AHEAD; ahead++) {
      const found = this.days.from(dayAfter(today, ahead), time)
      if (found >= moment && this.next(found).getTime() === found.getTime()) return found
    }
    return this.next(moment)
  }

  /** The span with this moment, or the next one. */
  #spanAt(moment: Date): Span {
    // one that began yesterday may go on
    for (let day = dayAfter(this.days.of(moment), -1); ; day = dayAfter(day, 1)) {
      const span = this.#spanOf(day)
      if (span && span.until > moment) return span
    }
  }

  #spanOf(day: string): Span | undefined {
    if (this.#spans.has(day)) return this.#spans.get(day)
    if (this.#spans.size >= KEPT) this.#spans.clear()
    const span = this.#weekdays.has(new Date(day).getUTCDay()) ? this.#made(day) : undefined
    this.#spans.set(day, span)
    return span
  }

  #made(day: string): Span | undefined {
    const { from, until } = this.#hours
    if (from === undefined || until === undefined) {
      return { from: this.days.start(day), until: this.days.start(dayAfter(day, 1)) }
    }
    const lastDay = until > from ? day : dayAfter(day, 1)
    const begin = this.days.all(day, from).at(-1) ?? this.days.from(day, from)
    const ends = [...this.days.all(lastDay, until), this.days.from(lastDay, until)]
    const end = ends.find((moment) => moment > begin)
    return end && { from: begin, until: end }
  }
}
