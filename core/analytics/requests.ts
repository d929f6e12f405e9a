import * as v from 'valibot'
import type { FieldProblem } from '../errors.ts'
import type { InputOf } from '../values/input.ts'
import { wholeNumber } from '../values/page.ts'
import { DayOrMoment, Days, dayAfter, daysBetween, TimeZone } from '../values/time-zone.ts'

/** The most days a series has. */
const MAX_DAYS = 366
/** How many days there are when no dates are given. */
const DAYS = 30

const PERIOD = {
  /** The first day, such as 2026-01-31, or a moment of it. Default the 30 days up to `endDate`. */
  startDate: v.optional(DayOrMoment),
  /** The last day, or a moment of it. Default today. */
  endDate: v.optional(DayOrMoment),
  /** The time zone whose days these are, by its IANA name such as Europe/Berlin. Default UTC. */
  timezone: v.optional(TimeZone, 'UTC'),
}

/** The query of `GET /analytics/timeseries`. */
export const TimeSeriesQuery = v.object(PERIOD)

/** The query of `GET /analytics/top-events`. */
export const TopEventsQuery = v.object({
  ...PERIOD,
  /** How many names at most: 1 to 100, by default 10. */
  limit: v.optional(wholeNumber(1, 100), 10),
})

/** The figures that campaigns are compared by. */
const CAMPAIGN_METRICS = ['opens', 'clicks', 'sent'] as const

/** The query of `GET /analytics/top-campaigns`. */
export const TopCampaignsQuery = v.object({
  /** The figure that they are compared by. Default `opens`. */
  metric: v.optional(v.picklist(CAMPAIGN_METRICS), 'opens'),
  /** How many campaigns at most: 1 to 100, by default 10. */
  limit: v.optional(wholeNumber(1, 100), 10),
})

/** The query of `GET /analytics/campaign-stats`. */
export const CampaignFiguresQuery = v.object({
  /** How many campaigns are listed at most, newest first: 1 to 100, by default 20. */
  limit: v.optional(wholeNumber(1, 100), 20),
})

/** The days of a time series. */
export interface TimeSeriesInput extends InputOf<typeof TimeSeriesQuery> {}

/** The days in which events are counted, and how many names are answered. */
export interface TopEventsInput extends InputOf<typeof TopEventsQuery> {}

/** Which campaigns are the top ones, and how many are answered. */
export interface TopCampaignsInput extends InputOf<typeof TopCampaignsQuery> {}

/** How many campaigns are listed. */
export interface CampaignFiguresInput extends InputOf<typeof CampaignFiguresQuery> {}

/** Days in a row, in one time zone. */
export interface DaySpan {
  readonly days: Days
  readonly first: string
  readonly count: number
}

/** The days that a query names, as far as they are valid. */
export function spanOf(
  { startDate, endDate, timezone = 'UTC' }: Partial<v.InferOutput<typeof TimeSeriesQuery>>,
  now: Date,
): DaySpan {
  const days = new Days(timezone)
  const dayOf = (given: string | Date) => (typeof given === 'string' ? given : days.of(given))
  const last = dayOf(endDate ?? now)
  const first = startDate === undefined ? dayAfter(last, 1 - DAYS) : dayOf(startDate)
  return { days, first, count: daysBetween(first, last) + 1 }
}

/** The problems with the dates of a query together. */
export function* spanProblems(
  given: Partial<v.InferOutput<typeof TimeSeriesQuery>>,
  now: Date,
): Generator<FieldProblem> {
  const { count } = spanOf(given, now)
  if (count < 1) yield { field: 'endDate', code: 'too_small', message: 'must not be before startDate' }
  if (count > MAX_DAYS)
    yield { field: 'startDate', code: 'too_big', message: `must be at most ${MAX_DAYS} days before endDate` }
}
