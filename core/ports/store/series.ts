import type { Weekday } from '../../values/open-hours.ts'
import type { NumberedRequest } from '../../values/page.ts'
import type { ProjectId } from '../../values/project-id.ts'

/** When issues are made. A plain JSON value. */
export interface Rhythm {
  /** `hour` is for feeds: every full hour. */
  readonly every: 'hour' | 'day' | 'week' | 'month'
  /** The days of the week, for `week`. */
  readonly days?: readonly Weekday[]
  /** The day of the month, for `month`; one that a month does not have is its last. */
  readonly day?: number | 'last'
  /** The time of day, as 09:00. */
  readonly at: string
  /** The zone in which it is that time. */
  readonly timezone: string
}

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
export interface Series {
  /** A UUID (version 7): those made later sort after those made before. */
  readonly id: string
  /** The project that it belongs to. */
  readonly projectId: ProjectId
  /** The name for the team. */
  readonly name: string
  /** The campaign that each issue copies. */
  readonly campaignId: string
  /** When an issue is made. */
  readonly rhythm: Rhythm
  /** Where the items of issues come from. */
  readonly feedUrl?: string
  /** The state of its feed; absent before it was read. */
  readonly feed?: FeedState
  /** Whether issues are sent without a person. */
  readonly sends: boolean
  /** When the next issue is made; absent while it is paused. */
  readonly nextAt?: Date
  /** When the last issue was made. */
  readonly lastAt?: Date
  /** How many issues were made. */
  readonly issues: number
  /** Why the last time made no issue, when something is wrong. */
  readonly problem?: string
  /** When it was made, by the clock of the engine. */
  readonly createdAt: Date
  /** When it last changed; at first, when it was made. */
  readonly updatedAt: Date
}

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
