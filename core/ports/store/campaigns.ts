import type { Json, JsonObject } from '../../values/json.ts'
import type { MailSource } from '../../values/mail-source.ts'
import type { Hours } from '../../values/open-hours.ts'
import type { NumberedRequest } from '../../values/page.ts'
import type { ProjectId } from '../../values/project-id.ts'
import type { Utm } from '../../values/utm.ts'
import type { ZoneSource } from '../../values/zone-of-contact.ts'
import type { CampaignAttachment } from './campaign-attachments.ts'
import type { Filter } from './filters.ts'
import type { FrequencyCap, Quotas } from './projects.ts'

export const CAMPAIGN_STATUSES = ['DRAFT', 'SCHEDULED', 'SENDING', 'SENT', 'PAUSED', 'CANCELLED', 'FAILED'] as const
export type CampaignStatus = (typeof CAMPAIGN_STATUSES)[number]

/** All contacts, the members of a segment, or the contacts that match a filter. */
export const AUDIENCE_TYPES = ['ALL', 'SEGMENT', 'FILTERED'] as const
export type AudienceType = (typeof AUDIENCE_TYPES)[number]

/**
 * Why bounces of a campaign's mails do not suppress or unsubscribe their recipients yet.
 * - `watching`: its first answers are still arriving.
 * - `braked`: too many of them are the same refusal, and a person has to decide.
 * - `retry`: that person decided to send those mails again, which is under way.
 * - `accept`: bounces count, and those held so far are being judged.
 */
export type BounceHold = 'watching' | 'braked' | 'retry' | 'accept'

/** The refusals that braked a campaign. A plain JSON value. */
export interface Brake {
  /** The words that the refusals have in common, without numbers, addresses and ids. */
  readonly words: string
  /** How many refusals said that, of how many answers. */
  readonly refused: number
  readonly answers: number
  /** One of them as the server wrote it. */
  readonly reply: string
}

/** The names of a campaign's variants, by place: A is the campaign as it is. */
export const VARIANTS = ['A', 'B', 'C', 'D', 'E'] as const
export type VariantName = (typeof VARIANTS)[number]

/** Where a mail of a tested campaign belongs: to the test of a variant, to those after it, or to those who get nothing. */
export const TEST_PARTS = [...VARIANTS, 'rest', 'held-out'] as const
export type TestPart = (typeof TEST_PARTS)[number]

/** Another variant of a campaign: what it has instead. What is absent is as in the campaign; null is nothing. */
export interface CampaignVariant {
  /** Another subject; absent: that of the campaign. */
  readonly subject?: string
  /** Another text after the subject; null: none. */
  readonly preheader?: string | null
  /** Another HTML. */
  readonly body?: string
  /** The visual editor's document that the body was made from. */
  readonly design?: JsonObject
  /** The source of the body, when it was written in another format. */
  readonly source?: MailSource
  /** Another layout; null: none. */
  readonly layoutId?: string | null
  /** Another address of the sender. */
  readonly from?: string
  /** Another name of the sender; null: none. */
  readonly fromName?: string | null
}

/** The figures that variants are compared by: people who opened or clicked, or to whom an event happened. */
export const TEST_METRICS = ['opens', 'clicks', 'event'] as const

/** How the variants of a campaign are tested. A plain JSON value. */
export interface VariantTest {
  /** How many percent take part; the variants share them evenly. With 100 all get a variant, and there is no winner. */
  readonly share: number
  /** How many percent of the audience get nothing, to compare the others with. */
  readonly holdOut: number
  /** The figure that is compared. */
  readonly metric: (typeof TEST_METRICS)[number]
  /** The name of the event, for `event`. */
  readonly event?: string
  /** How long the variants are compared once the mails of the test are written. */
  readonly hours: number
  /** Whether a person chooses the winner, or the figures do once the time is over. */
  readonly winner: 'manual' | 'automatic'
  /** The way on when the figures cannot tell: wait for a person, or take the best so far. */
  readonly whenUnclear: 'wait' | 'best'
}

/** One mail to many contacts. */
export interface Campaign {
  /** A UUID (version 7): those made later sort after those made before. */
  readonly id: string
  /** The project that it belongs to. */
  readonly projectId: ProjectId
  /** The name for the team; not part of the mail. */
  readonly name: string
  /** Its purpose; not part of the mail. */
  readonly description?: string
  /** Template source, like `body`. */
  readonly subject: string
  /** The preview text that inboxes show after the subject. */
  readonly preheader?: string
  /** HTML with placeholders. */
  readonly body: string
  /** The visual editor's document that the body was made from. */
  readonly design?: JsonObject
  /** The layout around the body. */
  readonly layoutId?: string
  /** The topic it goes out under: contacts who do not get it are left out. */
  readonly topicId?: string
  /** The source of the body, when it was written in another format. */
  readonly source?: MailSource
  /** The sender's address. */
  readonly from: string
  /** The sender's name; absent without one. */
  readonly fromName?: string
  /** Where replies go, with commas between several; absent: to the sender. */
  readonly replyTo?: string
  /** Header fields of its mails, in order. */
  readonly headers?: readonly (readonly [name: string, value: string])[]
  /** The files that go with its mails; absent when there are none. */
  readonly attachments?: readonly CampaignAttachment[]
  /** Added to the links of its mails. Empty: nothing is added. Absent: the project's are added. */
  readonly utm?: Utm
  /** The template that its subject and body came from. */
  readonly templateId?: string
  /** The mail server that its mails go by, and no other; absent: they go as the rules say. */
  readonly transport?: string
  /** All subscribed contacts, those of a segment, or those of a filter. */
  readonly audienceType: AudienceType
  /** The segment, when the audience is one. */
  readonly segmentId?: string
  /** The filter, when the audience is one. */
  readonly audienceFilter?: Filter
  /** The same filter in Plunk's form, when it was written so. */
  readonly audienceCondition?: JsonObject
  /** When its mails may go. Absent: as soon as they can. */
  readonly plan?: SendPlan
  /** Its other variants, from B on; absent when there are none. */
  readonly variants?: readonly CampaignVariant[]
  /** How they are tested; present with variants, and when some of the audience get nothing. */
  readonly test?: VariantTest
  /** Where it is on its way, such as DRAFT, SENDING or SENT. */
  readonly status: CampaignStatus
  /** Why it was paused or failed without a user asking for it, or what went wrong although it is SENT. */
  readonly statusReason?: string
  /** Absent when bounces suppress at once. */
  readonly hold?: BounceHold
  /** Present from when it was braked until it continues. */
  readonly brake?: Brake
  /** When it is to begin; of scheduled campaigns. */
  readonly scheduledAt?: Date
  /** When it began to send. */
  readonly startedAt?: Date
  /** When the last of its mails was finished. */
  readonly sentAt?: Date
  /** The campaign that it sends again. */
  readonly originId?: string
  /** The series that it is an issue of. */
  readonly seriesId?: string
  /** Where it is listed. */
  readonly folder?: string
  /** A note for the team. */
  readonly note?: string
  /** When it was put away. */
  readonly shelvedAt?: Date
  /** Since when it is in the project's public archive, once it is sent; absent: it is not. */
  readonly publishedAt?: Date
  /** The content shared by all recipients' rows, once sending began; of a test, by those after it. */
  readonly contentId?: string
  /** How far the audience is written into the ledger, once sending began. */
  readonly fanOut?: FanOut
  /** The number of its current version, from 1: each change of what people write raises it. */
  readonly version: number
  /** When it was made, by the clock of the engine. */
  readonly createdAt: Date
  /** When it last changed; at first, when it was made. */
  readonly updatedAt: Date
}

/** When the mails of a campaign may go. A plain JSON value. */
export interface SendPlan extends Hours {
  /** Whose clocks count: those of each `recipient`, or of this IANA zone. Absent: those of the project. */
  readonly timeZone?: string
  /** The time of day at which they are due. */
  readonly at?: string
  /** Over how many open hours they are spread. */
  readonly overHours?: number
  /** How many go on a day of the plan's zone, or of the project's, at most. */
  readonly perDay?: number
  /** The last pause of a campaign that is being sent, as ISO 8601, and how long all its pauses were. */
  readonly paused?: { readonly from: string; readonly until: string; readonly totalMs: number }
}

/** How the plan was laid out over the audience. A plain JSON value. */
export interface PlanProgress {
  /** The zone of those whose data names none, or of all. */
  readonly zone: string
  /** How many mails there were to be when sending began, where they are spread. */
  readonly expected?: number
  /** How many are due on each day, where each has a share. */
  readonly days?: Readonly<Record<string, number>>
  /** By what the zones of how many recipients were found. */
  readonly zones?: Readonly<Partial<Record<ZoneSource, number>>>
}

/** The audience as frozen when sending began, and how much of it is in the ledger. A plain JSON value. */
export interface FanOut {
  /** The time from which time spans are counted, ISO 8601. */
  readonly frozenAt: string
  /** The highest contact id at that time: later contacts do not belong to the audience. */
  readonly upTo: string
  /** The last contact processed; empty at the beginning. */
  readonly cursor: string
  readonly done: boolean
  /** The audience, as `frozenAudience` writes it; absent: everybody up to `upTo`. */
  readonly audience?: Json
  /** How many rows were written, and how many contacts were left out, by reason. */
  readonly recipients: number
  readonly skipped: Readonly<Record<string, number>>
  /** How many mails there are to be, as counted while the first were written; of large audiences. */
  readonly expected?: number
  /** Present when the campaign has a plan. */
  readonly plan?: PlanProgress
  /** The cap of the project, if it has one. */
  readonly cap?: FrequencyCap
  /** The quotas of the project, if it has some, and its time zone. */
  readonly quotas?: Quotas & { readonly zone: string }
  /** How far its test is: the mails of the test are written, the winner is waited for, the rest is written. */
  readonly phase?: 'testing' | 'waiting' | 'rest'
  readonly test?: TestProgress
}

/** The state of a running test. A plain JSON value; times are ISO 8601. */
export interface TestProgress {
  /** The content of each variant, by place. */
  readonly contents: readonly string[]
  /** The share was too small for a test: everybody gets one of the variants, and there is no winner. */
  readonly whole?: true
  /** When the time of the comparison began: once the mails of the test were written, or it was resumed. */
  readonly since?: string
  /** The figures could not tell when the time was over. */
  readonly unclear?: true
  /** The variant that won; absent so far. */
  readonly winner?: VariantName
  /** Who or what chose it: a person, the figures, or the time, which took the best so far. */
  readonly chosenBy?: 'person' | 'figures' | 'best-so-far'
  /** When it was chosen, ISO 8601. */
  readonly chosenAt?: string
}

export interface CampaignFilter {
  readonly status?: CampaignStatus
  /** A part of the name or the subject, ignoring case. */
  readonly search?: string
  /** Empty: in no folder. */
  readonly folder?: string
  readonly originId?: string
  readonly seriesId?: string
  /** True: put away. False: not, or under way nevertheless. */
  readonly shelved?: boolean
}

/** A folder, and how many campaigns in it were not put away. */
export interface CampaignFolder {
  /** The name of the folder. */
  readonly name: string
  /** How many campaigns are in it. */
  readonly count: number
}

/** A campaign with its references, without its content: there may be many campaigns of a megabyte each. */
export type CampaignNeeds = Pick<
  Campaign,
  'id' | 'name' | 'status' | 'from' | 'templateId' | 'segmentId' | 'audienceFilter' | 'test'
>

/** A part of a public archive. */
export interface PublishedPage {
  readonly limit: number
  readonly offset: number
  readonly topicId?: string
}

/** The part of a campaign that a public archive shows: there may be many of a megabyte each. */
export interface PublishedCampaign extends Pick<Campaign, 'id' | 'subject' | 'preheader' | 'sentAt' | 'contentId'> {
  /** The variant that won its test, whose subject and preheader may be others. */
  readonly winner?: VariantName | undefined
}

export interface CampaignRepository {
  find(projectId: ProjectId, id: string): Promise<Campaign | undefined>
  /**
   * As `find`, inside a transaction, which locks the campaign until it ends: its mails are not claimed, and no claim is
   * running. Needed to change the status.
   */
  lock(projectId: ProjectId, id: string): Promise<Campaign | undefined>
  /** Up to `limit + 1` campaigns, newest first (by id); `offset` skips rows of a numbered page. */
  page(projectId: ProjectId, filter: CampaignFilter, page: NumberedRequest): Promise<readonly Campaign[]>
  count(projectId: ProjectId, filter: CampaignFilter): Promise<number>
  /** The folders of the project's campaigns, by name, at most 1,000. */
  folders(projectId: ProjectId): Promise<readonly CampaignFolder[]>
  /** Up to `limit + 1` published campaigns that are SENT, those sent last first; of one topic, if given. */
  published(projectId: ProjectId, page: PublishedPage): Promise<readonly PublishedCampaign[]>
  /** Every campaign of the project whose status is none of these, to find references. */
  except(projectId: ProjectId, statuses: readonly CampaignStatus[]): Promise<readonly CampaignNeeds[]>
  insert(campaign: Campaign): Promise<void>
  /** Writes every field; false when there is no such campaign. */
  update(campaign: Campaign): Promise<boolean>
  /**
   * Moves the fan-out from `from` to `to`; false when the campaign is not SENDING or another process has moved it. Of
   * two concurrent calls one succeeds. Claims continue meanwhile, so a long transaction may call it.
   */
  advance(projectId: ProjectId, id: string, from: FanOut, to: FanOut, now: Date): Promise<boolean>
  /** Removes it. Its mails stay in the ledger, but are no longer claimed. */
  remove(projectId: ProjectId, id: string): Promise<boolean>
  /** Campaigns of all projects that are SCHEDULED for `now` or before. */
  dueToStart(now: Date, limit: number): Promise<readonly Campaign[]>
  /** Campaigns of all projects that are SENDING. */
  sending(): Promise<readonly Campaign[]>
  /** Campaigns of all projects with a `hold` that the engine has to end: all but the braked ones. */
  held(): Promise<readonly Campaign[]>
  /**
   * Those of these campaigns whose bounces must not suppress their recipients yet, inside the transaction that writes
   * the bounces. They cannot be locked before it ends, so the hold cannot end before the bounces are stored.
   */
  holding(ids: readonly string[]): Promise<ReadonlySet<string>>
}
