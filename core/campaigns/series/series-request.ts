import * as v from 'valibot'
import type { FieldProblem } from '../../errors.ts'
import { Rhythm, Series } from '../../ports/store/series.ts'
import type { InputOf } from '../../values/input.ts'
import { TimeOfDay, WEEKDAYS } from '../../values/open-hours.ts'
import { type PageInput, PageQuery } from '../../values/page.ts'
import { say } from '../../values/parse.ts'
import { changing, creating } from '../../values/record.ts'
import { TimeZone } from '../../values/time-zone.ts'

const FeedUrl = v.pipe(
  v.string(),
  v.trim(),
  v.maxLength(2048),
  v.check(
    (text) => /^https?:\/\//i.test(text) && URL.canParse(text),
    say('invalid_string', 'must be the http or https URL of an RSS or Atom feed'),
  ),
  v.check(
    (text) => {
      const url = URL.parse(text)
      return url?.username === '' && url.password === ''
    },
    say('invalid_string', 'must not contain a user name or a password'),
  ),
)

const WrittenRhythm = creating(Rhythm, {
  day: v.union([v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(31)), v.literal('last')]),
  at: v.nullish(TimeOfDay),
  timezone: v.nullish(TimeZone),
})

const OWN = {
  campaignId: v.pipe(v.string(), v.maxLength(100)),
  rhythm: WrittenRhythm,
  feedUrl: FeedUrl,
  sends: v.nullish(v.boolean()),
}

/** The body of `POST /campaign-series`. */
export const CreateSeries = creating(Series, OWN)

/** The body of `PATCH /campaign-series/{id}`. */
export const ChangeSeries = changing(Series, OWN)
export type ChangeSeries = v.InferOutput<typeof ChangeSeries>

/** The query of `GET /campaign-series`. */
export const ListSeries = PageQuery

/** The fields of a new series. */
export interface CreateSeriesInput extends InputOf<typeof CreateSeries> {}

/** The fields of a series to change. */
export interface ChangeSeriesInput extends Partial<CreateSeriesInput> {}

/** Pages a list of series. */
export interface ListSeriesInput extends PageInput {}

const [SUNDAY, ...WORKDAYS] = WEEKDAYS
const FROM_MONDAY = [...WORKDAYS, SUNDAY]

/** The rhythm as it is stored: only what it needs. */
export function rhythmOf({ every, days, day, at, timezone }: v.InferOutput<typeof WrittenRhythm>): Rhythm {
  return {
    every,
    ...(every === 'week' && days ? { days: FROM_MONDAY.filter((each) => days.includes(each)) } : {}),
    ...(every === 'month' && day != null ? { day } : {}),
    at: at ?? '09:00',
    timezone: timezone ?? 'UTC',
  }
}

/** The fields that do not fit together, with those that the series has already. */
export function* seriesProblems(
  given: Partial<ChangeSeries>,
  before?: Pick<Series, 'rhythm' | 'feedUrl'>,
): Generator<FieldProblem> {
  const { rhythm = before?.rhythm, feedUrl = before?.feedUrl } = given
  if (rhythm === undefined) return
  if (rhythm.every === 'week' && rhythm.days == null) yield required('rhythm.days', 'is required for a week')
  if (rhythm.every === 'month' && rhythm.day == null) yield required('rhythm.day', 'is required for a month')
  if (rhythm.every === 'hour' && feedUrl == null) {
    yield { field: 'rhythm.every', code: 'custom', message: 'can be hour only with a feedUrl: every issue is a mail' }
  }
}

function required(field: string, message: string): FieldProblem {
  return { field, code: 'required', message }
}
