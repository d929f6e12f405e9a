import * as v from 'valibot'
import type { FieldProblem } from '../errors.ts'
import { ACTIVITY_TYPES, type ActivityType } from '../values/activity-type.ts'
import type { InputOf } from '../values/input.ts'
import { takes } from '../values/input.ts'
import { type CursorInput, CursorQuery, wholeNumber } from '../values/page.ts'
import { say } from '../values/parse.ts'
import { DayOrMoment, Days, dayAfter, TimeZone } from '../values/time-zone.ts'

const PERIOD = {
  /** Only what happened from this moment on, or from the beginning of this day, such as 2026-01-31. */
  startDate: v.optional(DayOrMoment),
  /** Only what happened before this moment, or up to the end of this day. */
  endDate: v.optional(DayOrMoment),
  /** The time zone whose days these are, by its IANA name such as Europe/Berlin. Default UTC. */
  timezone: v.optional(TimeZone, 'UTC'),
}

/** Types of activities, separated by commas. */
const Types = takes<string | readonly ActivityType[]>()(
  v.pipe(
    v.union([v.string(), v.array(v.string())], say('invalid_type', 'must be types of activities, separated by commas')),
    v.transform((given) => [
      ...new Set((typeof given === 'string' ? given.split(',') : given).map((type) => type.trim())),
    ]),
    v.check(
      (types) =>
        types.length <= ACTIVITY_TYPES.length && types.every((type) => ACTIVITY_TYPES.some((known) => known === type)),
      say('invalid_enum_value', `must be some of ${ACTIVITY_TYPES.join(', ')}, separated by commas`),
    ),
    v.transform((types) => types as readonly ActivityType[]),
  ),
)

/** The query of `GET /activity`. */
export const ListActivity = v.object({
  ...CursorQuery.entries,
  /** Only activities of these types, separated by commas. */
  types: v.optional(Types),
  /** Only activities of this contact. */
  contactId: v.optional(v.string()),
  ...PERIOD,
})

/** The query of `GET /activity/stats`. */
export const ActivityStatsQuery = v.object(PERIOD)

/** The query of `GET /activity/recent-count`. */
export const RecentActivity = v.object({
  /** How many minutes: 1 to 60, by default 5. */
  minutes: v.optional(wholeNumber(1, 60), 5),
})

/** The query of `GET /activity/upcoming`. */
export const UpcomingQuery = v.object({
  /** How many days ahead: 1 to 90, by default 30. */
  daysAhead: v.optional(wholeNumber(1, 90), 30),
})

/** Narrows and pages the list of activities. */
export interface ListActivityInput extends CursorInput, Omit<InputOf<typeof ListActivity>, keyof CursorInput> {}

/** The period that is counted. */
export interface ActivityStatsInput extends InputOf<typeof ActivityStatsQuery> {}

/** How recent. */
export interface RecentActivityInput extends InputOf<typeof RecentActivity> {}

/** How far ahead. */
export interface UpcomingInput extends InputOf<typeof UpcomingQuery> {}

/** The moments that a query names, as far as they are valid. */
export function momentsOf({
  startDate,
  endDate,
  timezone = 'UTC',
}: Partial<v.InferOutput<typeof ActivityStatsQuery>>): { readonly from?: Date; readonly to?: Date } {
  const days = new Days(timezone)
  const from = typeof startDate === 'string' ? days.start(startDate) : startDate
  const to = typeof endDate === 'string' ? days.start(dayAfter(endDate, 1)) : endDate
  return { ...(from ? { from } : {}), ...(to ? { to } : {}) }
}

/** The problems with the dates of a query together. */
export function* periodProblems(given: Partial<v.InferOutput<typeof ActivityStatsQuery>>): Generator<FieldProblem> {
  const { from, to } = momentsOf(given)
  if (from && to && to <= from) yield { field: 'endDate', code: 'too_small', message: 'must be after startDate' }
}
