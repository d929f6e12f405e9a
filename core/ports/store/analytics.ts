import type { ProjectId } from '../../values/project-id.ts'
import type { CampaignCounters } from './campaign-mails.ts'
import type { Campaign } from './campaigns.ts'

/**
 * Figures that are counted by the moment of each happening.
 * - `sent`, `delivered`, `opened`, `clicked`, `bounced` (permanently) and `complained`: mails whose row has that time,
 *   which is the first one if it happened several times.
 * - `received`: mails that came in, by `createdAt`.
 * - `started` and `completed`: executions of workflows, by `startedAt`, and by `completedAt` if COMPLETED or EXITED.
 * - `events`: stored events of the type `event.triggered`, by the moment of their id.
 */
export const FIGURES = [
  'sent',
  'delivered',
  'opened',
  'clicked',
  'bounced',
  'complained',
  'received',
  'started',
  'completed',
  'events',
] as const
export type Figure = (typeof FIGURES)[number]
export type ActivityFigures = Readonly<Record<Figure, number>>

/** From one moment until just before another. Both begin a quarter of an hour (UTC), as days do in every time zone. */
export interface Period {
  readonly from: Date
  readonly to: Date
}

/** How often a custom event occurred in a period and in the one to compare it with. */
export interface EventCount {
  readonly name: string
  readonly count: number
  readonly before: number
}

/** The results of a campaign's mails; openings and clicks that count anonymously are among them. */
export type CampaignResults = Pick<Campaign, 'id' | 'status'> &
  Pick<CampaignCounters, 'sent' | 'delivered' | 'toFolder' | 'opened' | 'clicked' | 'bounced'>

/** A stored figure that differs from what its rows add up to. */
export interface FigureDifference {
  readonly figure: Figure
  /** The custom event, or `campaign:<id>` for a campaign's own figures; empty for the project's. */
  readonly name: string
  /** The beginning of the quarter of an hour, or of the day (UTC). */
  readonly at: Date
  /** Whether it is the figure of a whole day. */
  readonly days: boolean
  readonly kept: number
  readonly counted: number
}

/**
 * Figures of projects, updated in the transaction of every write and never counted on read. They follow the rows: the
 * figures of mails stay as long as the ledger, and those of events are removed with the events.
 */
export interface AnalyticsRepository {
  /** The figures of each of these periods, in their order; they may touch and overlap. */
  figures(projectId: ProjectId, periods: readonly Period[]): Promise<readonly ActivityFigures[]>
  /**
   * How many mails that count as delivered in each of these periods were only written to a folder. They are counted on
   * read, since an installation with a mail server has none.
   */
  toFolder(projectId: ProjectId, periods: readonly Period[]): Promise<readonly number[]>
  /**
   * The custom events that occurred most often in a period, most frequent first, then by name. Considers the 1,000
   * names with the most events in the project overall.
   */
  topEvents(projectId: ProjectId, period: Period, before: Period, limit: number): Promise<readonly EventCount[]>
  /** Every campaign, including those without mails, in any order. */
  campaigns(projectId: ProjectId): Promise<readonly CampaignResults[]>
  /** Name and subject of these campaigns, by id; unknown ones are left out. */
  campaignTitles(
    projectId: ProjectId,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, Pick<Campaign, 'name' | 'subject'>>>
  /**
   * Counts all rows of the project again and answers the figures that differ; with `mend` it corrects them. It reads
   * one moment's state: what is written meanwhile is neither missed nor counted twice.
   */
  recount(projectId: ProjectId, mend: boolean): Promise<readonly FigureDifference[]>
  /**
   * Merges figures from before this moment that several writers have counted separately, in all projects, so that the
   * number of rows does not grow with the number of writers. No figure changes. Looks at `limit` rows at most and
   * answers how many it merged.
   */
  joinParts(before: Date, limit: number): Promise<number>
}
