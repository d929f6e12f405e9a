import * as v from 'valibot'
import type { CampaignMoments } from '../ports/store/campaign-mails.ts'
import type { InputOf } from '../values/input.ts'
import { Days, dayAfter, daysBetween, TimeZone } from '../values/time-zone.ts'

/** Most mails are read in the first three days, hour by hour. */
const HOURS = 72
const HOUR_MS = 3_600_000
/** The most days a series has. */
const MAX_DAYS = 366

/** The query of `GET /campaigns/{id}/timeseries`. */
export const CampaignSeriesQuery = v.object({
  /** Hours of the first three days, or days. Without it hours in the first three days, and days afterwards. */
  unit: v.optional(v.picklist(['hour', 'day'])),
  /** The time zone whose days and hours these are, by its IANA name such as Europe/Berlin. Default UTC. */
  timezone: v.optional(TimeZone, 'UTC'),
})

/** The hours or days of a campaign's course. */
export interface CampaignSeriesInput extends InputOf<typeof CampaignSeriesQuery> {}

/** The results of a campaign's mails in an hour or on a day: each mail counts where it happened to it first. */
export interface CourseFigures {
  /** The day, such as 2026-01-31, or when the hour begins, such as 2026-01-31T09:00:00+01:00. */
  readonly date: string
  /** How many mails were delivered. */
  readonly delivered: number
  /** How many mails were first opened. */
  readonly opens: number
  /** How many mails had their first click. */
  readonly clicks: number
  /** How many recipients unsubscribed. */
  readonly unsubscribes: number
}

/** Hours or days in a row: `starts` has the end of the last one, too. */
export interface CourseSpan {
  readonly names: readonly string[]
  readonly starts: readonly Date[]
}

/** The hours or days since a campaign began, up to now. */
export function courseSpan(
  { unit, timezone }: v.InferOutput<typeof CampaignSeriesQuery>,
  began: Date,
  now: Date,
): CourseSpan {
  const days = new Days(timezone)
  const age = Math.max(0, now.getTime() - began.getTime())
  const first = days.of(began)
  if ((unit ?? (age < HOURS * HOUR_MS ? 'hour' : 'day')) === 'day') {
    const count = Math.min(MAX_DAYS, 1 + Math.max(0, daysBetween(first, days.of(now))))
    return { names: Array.from({ length: count }, (_, i) => dayAfter(first, i)), starts: days.starts(first, count + 1) }
  }
  const day = days.start(first).getTime()
  const start = day + Math.floor((began.getTime() - day) / HOUR_MS) * HOUR_MS
  const count = Math.min(HOURS, 1 + Math.floor((began.getTime() + age - start) / HOUR_MS))
  const starts = Array.from({ length: count + 1 }, (_, i) => new Date(start + i * HOUR_MS))
  return { names: starts.slice(0, -1).map((at) => days.clock(at)), starts }
}

/** The figures of these hours or days, up to the last in which something happened. */
export function courseFigures(
  { names, starts }: CourseSpan,
  moments: readonly CampaignMoments[],
): readonly CourseFigures[] {
  const counts = names.map(() => ({ delivered: 0, opened: 0, clicked: 0, unsubscribed: 0 }))
  const inOrder = moments.toSorted((a, b) => a.at.getTime() - b.at.getTime())
  let place = 0
  let last = 0
  for (const { figure, at, count } of inOrder) {
    while (place < names.length && at >= (starts[place + 1] ?? at)) place++
    const counted = counts[place]
    if (counted === undefined) break
    counted[figure] += count
    last = place
  }
  return counts.slice(0, last + 1).map(({ delivered, opened, clicked, unsubscribed }, i) => {
    return { date: names[i] ?? '', delivered, opens: opened, clicks: clicked, unsubscribes: unsubscribed }
  })
}
