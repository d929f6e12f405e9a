import type { JsonObject } from '../../values/json.ts'
import type { ProjectId } from '../../values/project-id.ts'
import type { TrackingConsent } from '../../values/tracking-consent.ts'
import type { Audience } from './audiences.ts'
import type { CampaignStatus, TestPart } from './campaigns.ts'
import type { Email, Lease, SkipReason } from './emails.ts'
import type { ProjectMode } from './projects.ts'
import type { SuppressionReason } from './suppressions.ts'

/** A campaign's view of the ledger: its audience, its mails, and what is left to send. */
export interface CampaignMailRepository {
  /** The results of the campaign's mails. Maintained with every write, not counted on read. */
  counters(projectId: ProjectId, id: string): Promise<CampaignCounters>
  /**
   * The same for each part of its test that has mails, without anonymous openings and clicks; with an event also how
   * many of the contacts it happened to since then. The event alone is counted on read.
   */
  testCounters(
    projectId: ProjectId,
    id: string,
    event?: { readonly name: string; readonly from: Date },
  ): Promise<ReadonlyMap<TestPart, TestCounters>>
  /**
   * The clicked links of the campaign's mails, at most `limit`: those clicked by the most people first, then the most
   * often clicked, then by address.
   */
  links(projectId: ProjectId, id: string, limit: number): Promise<readonly CampaignLink[]>
  /**
   * How many of the campaign's mails were first delivered, opened, clicked or unsubscribed from in each quarter of an
   * hour that has any, from `from` up to `to`; both begin a quarter. Maintained with every write, as the project's
   * figures are, except for unsubscribing.
   */
  course(projectId: ProjectId, id: string, from: Date, to: Date): Promise<readonly CampaignMoments[]>
  /**
   * The next members of the audience, by id: contacts after `after` up to `upTo`, at most `limit`, with their
   * subscription and the suppression in force at `now`, and whether they get the topic. Fewer than `limit` means the
   * end.
   */
  audiencePage(projectId: ProjectId, audience: Audience, page: AudiencePage): Promise<readonly AudienceMember[]>
  /**
   * How many of the audience would get mail at `now`, and how many would be left out. A contact that is both suppressed
   * and unsubscribed counts as suppressed, and one that is unsubscribed counts neither as
   * paused nor as without the topic.
   */
  countAudience(projectId: ProjectId, audience: Audience, now: Date, about?: AudienceAbout): Promise<AudienceCounts>
  /**
   * Writes ledger rows, leaving out contacts the campaign already has; inside the transaction that moves the cursor.
   * Answers how many were written.
   */
  add(emails: readonly Email[]): Promise<number>
  /**
   * As `add`, for QUEUED mails that are due, which are written as a claim under this lease leaves them: they are SENDING, with
   * one try. Answers the ids of those that were written. In a store without it, mails are written first and claimed then.
   */
  addClaimed?(emails: readonly Email[], lease: Lease): Promise<ReadonlySet<string>>
  /** True while a mail of the campaign waits or is being sent. */
  hasOpen(id: string): Promise<boolean>
  /** True while a mail of the campaign is being sent. */
  isSending(id: string): Promise<boolean>
  /** When the first and the last of the campaign's QUEUED mails are due; undefined when none waits. */
  queue(id: string): Promise<CampaignQueue | undefined>
  /** The campaigns of all projects with QUEUED mail, by id. */
  waiting(): Promise<readonly WaitingCampaign[]>
  /**
   * Makes up to `limit` mails of the campaign that have FAILED by `now` QUEUED again. They are due at once, have used
   * no tries, keep the last error until the next result, and expire at `expiresAt`. Mails whose variables were removed
   * are left out. Answers how many.
   */
  retryFailed(projectId: ProjectId, id: string, now: Date, limit: number, expiresAt: Date): Promise<number>
  /** Mails of the campaign that BOUNCED or FAILED, by id after `after`, at most `limit`. */
  refused(projectId: ProjectId, id: string, after: string, limit: number): Promise<readonly RefusedMail[]>
  /**
   * As `retryFailed`, for those of these mails that BOUNCED or FAILED by `now` and can still be filled in. Afterwards
   * they count as never bounced.
   */
  requeue(projectId: ProjectId, id: string, ids: readonly string[], now: Date, expiresAt: Date): Promise<number>
  /** Makes up to `limit` QUEUED mails of a cancelled campaign SKIPPED; answers how many. */
  skipQueued(projectId: ProjectId, id: string, now: Date, limit: number): Promise<number>
}

/** How many mails of a campaign this first happened to in the quarter of an hour that begins at `at`. */
export interface CampaignMoments {
  readonly figure: 'delivered' | 'opened' | 'clicked' | 'unsubscribed'
  readonly at: Date
  readonly count: number
}

/** A link of a campaign, as it was in the mail that was clicked. */
export interface CampaignLink {
  /** Where it leads. */
  readonly url: string
  /** How often it was followed, machines included. */
  readonly clicks: number
  /** The clicks that no machine made. */
  readonly humanClicks: number
  /** In how many mails a person clicked it. */
  readonly people: number
}

/** A mail that was not delivered. */
export type RefusedMail = Pick<Email, 'id' | 'to' | 'contactId' | 'error' | 'bouncedAt'>

/** The mails of a campaign that wait. */
export interface CampaignQueue {
  readonly firstDueAt: Date
  /** Why the first was put off, or why its last try failed. */
  readonly error?: string
  readonly lastDueAt: Date
}

/** A campaign with QUEUED mail. */
export interface WaitingCampaign {
  readonly projectId: ProjectId
  readonly id: string
  /** Undefined when the campaign was removed. */
  readonly status: CampaignStatus | undefined
  /** When the first of its mails is due. */
  readonly dueAt: Date
}

/** The results of a campaign's mails, from the ledger: each figure counts a mail once. */
export interface CampaignCounters {
  /** How many mails there are. */
  readonly recipients: number
  /** How many the next hop accepted. */
  readonly sent: number
  /** How many were delivered, and did not come back later. */
  readonly delivered: number
  /** How many of these were only written to a folder; counted on read, by an index that has them alone. */
  readonly toFolder: number
  /** How many were opened, by people or machines. */
  readonly opened: number
  /** How many were opened by people. */
  readonly humanOpened: number
  /** How many had a link followed, by people or machines. */
  readonly clicked: number
  /** How many had a link followed by people. */
  readonly humanClicked: number
  /** Opens and clicks by contacts that may only be counted anonymously; a contact that returns later counts again. */
  readonly anonymousOpened: number
  /** Mails opened by such a person. */
  readonly anonymousHumanOpened: number
  /** Mails with a click by such a contact. */
  readonly anonymousClicked: number
  /** Mails with a click by such a person. */
  readonly anonymousHumanClicked: number
  /** How many bounced for good. */
  readonly bounced: number
  /** How many of these the next hop had accepted: they are among `sent`, too. */
  readonly bouncedLater: number
  /** How many were reported as spam. */
  readonly complained: number
  /** How many recipients unsubscribed by its link. */
  readonly unsubscribed: number
  /** Counted on read, by an index that has few rows. */
  readonly replied: number
  /** How many could not be sent. */
  readonly failed: number
  /** How many of these the next hop had accepted: they are among `sent`, too. */
  readonly failedLater: number
  /** Left out after they were written into the ledger, by reason. */
  readonly skipped: Readonly<Partial<Record<SkipReason, number>>>
}

/** The results of a part of a test. */
export interface TestCounters extends Omit<CampaignCounters, `anonymous${string}` | 'replied'> {
  /** How many of its contacts the event happened to; 0 when none was asked for. */
  readonly happened: number
}

/** Further figures to count of an audience. */
export interface AudienceAbout {
  /** The topic of the mail. */
  readonly topicId?: string | undefined
  /** True: also those who get the mail and have left a topic. */
  readonly leavers?: boolean
}

export interface AudienceCounts {
  readonly mailable: number
  readonly unsubscribed: number
  readonly suppressed: number
  /** Subscribed contacts who have paused. */
  readonly paused: number
  /** Others who do not get the topic; 0 without one. */
  readonly withoutTopic: number
  /** How many of the mailable have left a topic of the project, whatever the topic of the mail; 0 unless asked for. */
  readonly leavers: number
}

export interface AudiencePage {
  /** A contact's id; empty for the beginning. */
  readonly after: string
  /** The last id that belongs to the audience; empty when there is none. */
  readonly upTo: string
  readonly limit: number
  readonly now: Date
  /** The topic of the mail; without it `withoutTopic` is not asked. */
  readonly topicId?: string
}

/** A contact, and what decides whether it gets mail. */
export interface AudienceMember {
  readonly id: string
  readonly email: string
  readonly subscribed: boolean
  readonly suppressed?: SuppressionReason
  /** True: wants no marketing mail at that time. */
  readonly paused?: boolean
  /** Gets one marketing mail in so many days at most. */
  readonly everyDays?: number
  /** True: does not get the topic that was asked about. */
  readonly withoutTopic?: boolean
  /** Its consent to tracking; a store without `addClaimed` may leave it out. */
  readonly tracking?: TrackingConsent
  /** The mode of its project; absent when that is `live`. Likewise. */
  readonly mode?: Exclude<ProjectMode, 'live'>
  readonly data: JsonObject
}
