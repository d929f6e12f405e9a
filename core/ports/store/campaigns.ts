import type { Json, JsonObject } from '../../values/json.ts'
import type { NumberedRequest } from '../../values/page.ts'
import type { ProjectId } from '../../values/project-id.ts'
import type { Filter } from './filters.ts'

export const CAMPAIGN_STATUSES = ['DRAFT', 'SCHEDULED', 'SENDING', 'SENT', 'PAUSED', 'CANCELLED', 'FAILED'] as const
export type CampaignStatus = (typeof CAMPAIGN_STATUSES)[number]

/** Everybody, the members of a segment, or who matches a filter. */
export const AUDIENCE_TYPES = ['ALL', 'SEGMENT', 'FILTERED'] as const
export type AudienceType = (typeof AUDIENCE_TYPES)[number]

/** One mail to many contacts. */
export interface Campaign {
  readonly id: string
  readonly projectId: ProjectId
  readonly name: string
  readonly description?: string
  /** Template source, like `body`. */
  readonly subject: string
  readonly body: string
  readonly from: string
  readonly fromName?: string
  readonly replyTo?: string
  /** The template its subject and body were taken from. */
  readonly templateId?: string
  readonly audienceType: AudienceType
  readonly segmentId?: string
  readonly audienceFilter?: Filter
  /** The same filter as Plunk writes it, when it was written so. */
  readonly audienceCondition?: JsonObject
  readonly status: CampaignStatus
  /** Why it was paused or has failed, when nobody asked for it. */
  readonly statusReason?: string
  readonly scheduledAt?: Date
  readonly startedAt?: Date
  /** When the last of its mails was done with. */
  readonly sentAt?: Date
  /** The mail all recipients' rows point at, once sending began. */
  readonly contentId?: string
  /** How far the audience was written into the ledger, once sending began. */
  readonly fanOut?: FanOut
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** The audience as it was frozen when sending began, and how much of it is in the ledger. A plain JSON value. */
export interface FanOut {
  /** The moment spans of time are counted from, ISO 8601. */
  readonly frozenAt: string
  /** The greatest contact id of that moment: later contacts do not belong to the audience. */
  readonly upTo: string
  /** The last contact that was looked at; empty at the beginning. */
  readonly cursor: string
  readonly done: boolean
  /** Who belongs to it, as `frozenAudience` writes it; absent: everybody up to `upTo`. */
  readonly audience?: Json
  /** How many rows were written, and who was left out, by reason. */
  readonly recipients: number
  readonly skipped: Readonly<Record<string, number>>
}

export interface CampaignFilter {
  readonly status?: CampaignStatus
}

/** What a campaign needs of other things, without its words: there may be many, of a megabyte each. */
export type CampaignNeeds = Pick<
  Campaign,
  'id' | 'name' | 'status' | 'from' | 'templateId' | 'segmentId' | 'audienceFilter'
>

export interface CampaignRepository {
  find(projectId: ProjectId, id: string): Promise<Campaign | undefined>
  /**
   * As `find`, inside a transaction: until it ends nobody else changes the campaign or claims mails of it, and no claim is
   * under way. Whoever changes the status has it.
   */
  lock(projectId: ProjectId, id: string): Promise<Campaign | undefined>
  /** Up to `limit + 1` campaigns, newest first (by id); `offset` skips rows of a numbered page. */
  page(projectId: ProjectId, filter: CampaignFilter, page: NumberedRequest): Promise<readonly Campaign[]>
  count(projectId: ProjectId, filter: CampaignFilter): Promise<number>
  /** Every campaign of the project that is none of these, for finding what refers to something. */
  except(projectId: ProjectId, statuses: readonly CampaignStatus[]): Promise<readonly CampaignNeeds[]>
  insert(campaign: Campaign): Promise<void>
  /** Writes every field; false when there is no such campaign. */
  update(campaign: Campaign): Promise<boolean>
  /**
   * Moves the fan-out on from `from` to `to`; false when the campaign is not SENDING or another has moved it. Of two that
   * move it at the same time one succeeds. Claims go on meanwhile, so that a long transaction may do it.
   */
  advance(projectId: ProjectId, id: string, from: FanOut, to: FanOut, now: Date): Promise<boolean>
  /** Its mails stay in the ledger; none of them is claimed any more. */
  remove(projectId: ProjectId, id: string): Promise<boolean>
  /** Campaigns of all projects that are SCHEDULED for `now` or before. */
  dueToStart(now: Date, limit: number): Promise<readonly Campaign[]>
  /** Campaigns of all projects that are SENDING. */
  sending(): Promise<readonly Campaign[]>
}
