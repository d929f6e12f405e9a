import * as v from 'valibot'
import { isJsonObject } from '../../values/json.ts'
import { count, flag, found, id, json, label, list, moment, oneOf, optional, orNull, words } from '../../values/kind.ts'
import { WEEKDAYS } from '../../values/open-hours.ts'
import type { NumberedRequest } from '../../values/page.ts'
import type { ProjectId } from '../../values/project-id.ts'
import { given, INTERNAL, owned, part, type RecordOf, record, TIMES } from '../../values/record.ts'

/** How many series a project can have. */
export const MAX_SERIES = 100

/** When issues are made. A plain JSON value. */
export const Rhythm = record('Rhythm', 'When issues are made.', {
  every: [
    oneOf(['hour', 'day', 'week', 'month']),
    'How often: `hour` (only with a feed), `day`, `week` or `month`.',
    given('create'),
  ],
  days: [optional(list(oneOf(WEEKDAYS), 1, 7)), 'For `week`: the days, `mon` to `sun`.', given('create')],
  day: [
    optional(json<number | 'last'>(v.union([count.answer, v.literal('last')]))),
    'For `month`: 1 to 31, or `last`. A month without that day has it on its last.',
    given('create'),
  ],
  at: [
    found(words),
    'The time of day, such as `09:00`, which is the default. A time that clocks leave out is as much later as they are put forward.',
    given('create'),
  ],
  timezone: [
    found(words),
    'The zone in which it is that time, by its IANA name such as `Europe/Berlin`. By default UTC.',
    given('create'),
  ],
})
export interface Rhythm extends RecordOf<typeof Rhythm> {}

/** The state of a series' feed. A plain JSON value. */
export interface FeedState {
  /** The title that the feed gives itself. */
  readonly title?: string
  /** The `ETag` of the version that was read last, for the next request. */
  readonly etag?: string
  /** When its server says it changed, for the next request. */
  readonly lastModified?: string
  /** When it was read last, ISO 8601. */
  readonly readAt?: string
  /** When it was asked last, ISO 8601. */
  readonly askedAt?: string
}

/** A campaign that is made again and again from a pattern. */
export const Series = record('Series', 'A campaign that is made again and again from a pattern.', {
  ...owned('series'),
  name: [
    label(200),
    'The name, at most 200 characters. Issues are named after it and the day.',
    given('create', 'change'),
  ],
  campaignId: [
    id,
    'The campaign that each issue copies: its text, sender, audience and files. Changes to it count from the next issue on.',
    given('create', 'change'),
  ],
  rhythm: [json<Rhythm>(part(Rhythm)), 'When issues are made.', given('create', 'change')],
  feedUrl: [
    optional(words),
    'An RSS or Atom feed whose new items issues have. In a request, null removes it.',
    given('create', 'change'),
  ],
  feed: [
    optional(json<FeedState>(v.custom(isJsonObject))),
    'The state of its feed; absent before it was read.',
    INTERNAL,
  ],
  sends: [
    found(flag),
    '`true`: issues are sent at once. `false`, the default: they are drafts for a person to send.',
    given('create', 'change'),
  ],
  nextAt: [orNull(moment), 'When the next issue is made. null while it is paused.'],
  lastAt: [optional(moment), 'When the last issue was made.'],
  issues: [count, 'How many issues were made.'],
  problem: [optional(words), 'Why there was no issue the last time, when something is wrong.'],
  ...TIMES,
})
export interface Series extends RecordOf<typeof Series> {}

/** An item of a feed that needs no issue any more. */
export interface SeenItem {
  readonly seriesId: string
  /** Made from what the feed calls it. */
  readonly key: string
  readonly projectId: ProjectId
  readonly seenAt: Date
  /** The issue that has it; absent: it was there before the series. */
  readonly campaignId?: string
}

export interface SeriesRepository {
  find(projectId: ProjectId, id: string): Promise<Series | undefined>
  /** As `find`, inside a transaction, which locks the series until it ends. */
  lock(projectId: ProjectId, id: string): Promise<Series | undefined>
  /** Up to `limit + 1` series, newest first (by id); `offset` skips rows of a numbered page. */
  page(projectId: ProjectId, page: NumberedRequest): Promise<readonly Series[]>
  count(projectId: ProjectId): Promise<number>
  insert(series: Series): Promise<void>
  /** Writes every field; false when there is no such series. */
  update(series: Series): Promise<boolean>
  /** Removes it with the items it has seen. Its issues stay. */
  remove(projectId: ProjectId, id: string): Promise<boolean>
  /** Series of all projects whose next issue is due, those due first come first. */
  due(now: Date, limit: number): Promise<readonly Series[]>
  /** Which of these items of the series were seen. */
  seen(seriesId: string, keys: readonly string[]): Promise<ReadonlySet<string>>
  /** Remembers items; those that were seen before stay as they were. */
  remember(items: readonly SeenItem[]): Promise<void>
  /** Forgets the items that were seen before the newest `most`, but for the current ones. */
  forget(seriesId: string, current: readonly string[], most: number): Promise<void>
}
