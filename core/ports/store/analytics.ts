import type { ProjectId } from '../../values/project-id.ts'
import type { CampaignCounters } from './campaign-mails.ts'
import type { Campaign } from './campaigns.ts'

/**
 * What is counted by the moment it happened. Of mails `sent`, `delivered`, `opened`, `clicked`, `bounced` (for good) and
 * `complained` are those whose row has that time, the first if it happened several times; `received` those that came in,
 * by `createdAt`. `started` and `completed` are executions of workflows, by `startedAt`, and by `completedAt` of those
 * that are COMPLETED or EXITED. `events` are stored events of the type `event.triggered`, by the moment of their id.
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

/** From a moment up to, not including, another. Both begin a quarter of an hour (UTC), as days do in every time zone. */
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

/** What became of a campaign's mails; openings and clicks that count anonymously are among them. */
export type CampaignResults = Pick<Campaign, 'id' | 'status'> &
  Pick<CampaignCounters, 'sent' | 'delivered' | 'opened' | 'clicked' | 'bounced'>

/** A kept figure that is not what its rows count. */
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
 * Figures of projects, kept with every write in its transaction, and never counted on read. They follow the rows: the
 * figures of mails stay as long as the ledger, those of events go with the events.
 */
export interface AnalyticsRepository {
  /** The figures of each of these periods, in their order; they may touch and overlap. */
  figures(projectId: ProjectId, periods: readonly Period[]): Promise<readonly ActivityFigures[]>
  /**
   * The custom events that occurred most often in a period, most frequent first, then by name. Looks at the 1,000 names
   * that the project has most events of in all.
   */
  topEvents(projectId: ProjectId, period: Period, before: Period, limit: number): Promise<readonly EventCount[]>
  /** Every campaign there is, also without mails, in no order. */
  campaigns(projectId: ProjectId): Promise<readonly CampaignResults[]>
  /** Name and subject of these campaigns, by id; unknown ones are left out. */
  campaignTitles(
    projectId: ProjectId,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, Pick<Campaign, 'name' | 'subject'>>>
  /**
   * Counts all rows of the project anew and answers where what is kept differs; with `mend` the figures are right
   * afterwards. It reads as of one moment: what is written meanwhile is neither missed nor counted twice.
   */
  recount(projectId: ProjectId, mend: boolean): Promise<readonly FigureDifference[]>
  /**
   * Joins figures of before this moment that writers have counted apart, of all projects, so that what is kept does not
   * grow with their number; no figure changes. Looks at `limit` rows at most and answers how many it joined.
   */
  joinParts(before: Date, limit: number): Promise<number>
}
