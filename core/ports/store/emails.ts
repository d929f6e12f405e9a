import type { JsonObject } from '../../values/json.ts'
import type { PageRequest } from '../../values/page.ts'
import type { ProjectId } from '../../values/project-id.ts'
import type { TrackingConsent } from '../../values/tracking-consent.ts'
import type { Conversation } from '../mail-transport.ts'
import type { Lane } from '../queue.ts'
import type { TestPart } from './campaigns.ts'
import type { MailContent } from './contents.ts'
import type { ContactEvent, EventRecord } from './events.ts'
import type { Interrupted } from './interrupted.ts'
import type { ProjectMode } from './projects.ts'
import type { Counted } from './reputation.ts'
import type { Suppression, SuppressionReason } from './suppressions.ts'

/** The life of an e-mail record. The status never goes back to an earlier one. */
export const EMAIL_STATUSES = [
  'QUEUED',
  'SENDING',
  'SENT',
  'DELIVERED',
  'OPENED',
  'CLICKED',
  'BOUNCED',
  'COMPLAINED',
  'FAILED',
  'SKIPPED',
  'RECEIVED',
] as const
export type EmailStatus = (typeof EMAIL_STATUSES)[number]

/**
 * The stages of a sent mail, from first to last, each with the time that marks it. A status never falls back to an
 * earlier stage, however late a report or the result of a try arrives.
 */
export const STAGES = [
  { status: 'SENT', time: 'sentAt' },
  { status: 'DELIVERED', time: 'deliveredAt' },
  { status: 'OPENED', time: 'openedAt' },
  { status: 'CLICKED', time: 'clickedAt' },
  { status: 'BOUNCED', time: 'bouncedAt' },
  { status: 'COMPLAINED', time: 'complainedAt' },
] as const satisfies readonly { readonly status: EmailStatus; readonly time: keyof Email }[]
/** The status of a sent mail. */
export type Stage = (typeof STAGES)[number]['status']

/** The stages that come before this one: a mail with one of them may be raised to it. */
export function stagesBefore(stage: Stage): readonly EmailStatus[] {
  const all = STAGES.map(({ status }) => status)
  return all.slice(0, all.indexOf(stage))
}

export const SOURCE_TYPES = ['TRANSACTIONAL', 'CAMPAIGN', 'WORKFLOW', 'INBOUND'] as const
export type SourceType = (typeof SOURCE_TYPES)[number]

/** A row of the ledger: one mail to one recipient, from acceptance to its last report. */
export interface Email {
  /** A UUID (version 7): those made later sort after those made before. */
  readonly id: string
  /** The project that it belongs to. */
  readonly projectId: ProjectId
  /** Absent when the contact was removed. */
  readonly contactId?: string
  /** The stored content that it is made from. */
  readonly contentId: string
  /** The address of the recipient. */
  readonly to: string
  /** The name beside that address. */
  readonly toName?: string
  /** Where it is on its way, such as QUEUED, DELIVERED or BOUNCED. */
  readonly status: EmailStatus
  /** The kind of thing that sent it. */
  readonly sourceType: SourceType
  /** In which queue it waits: transactional mail goes before that of campaigns. */
  readonly lane: Lane
  /** The template that it was made from. */
  readonly templateId?: string
  /** The campaign that it belongs to; absent for a test of one. */
  readonly campaignId?: string
  /** Of a campaign with a test: where the mail belongs. */
  readonly variant?: TestPart
  /** The values for placeholders: the contact's data at acceptance, and this call's own. */
  readonly variables: JsonObject
  /** Short texts by name, up to 100, for providers that support tags and to find the mail again. */
  readonly tags: Readonly<Record<string, string>>
  /** When it was made, by the clock of the engine. */
  readonly createdAt: Date
  /** Not handed to a transport before this time. */
  readonly dueAt: Date
  /** When it expires; absent for the usual lifetime, from `createdAt`. */
  readonly expiresAt?: Date
  /** How many tries have begun. */
  readonly attempts: number
  /** Envelope recipients an earlier try delivered to, when others were put off. */
  readonly accepted: readonly string[]
  /** The name of the transport that tried it last. */
  readonly transport?: string
  /**
   * True when the transport that took it reaches no recipient, such as a folder; then DELIVERED says no more than that.
   * A mail of a test key has it from the beginning, so that it is caught.
   */
  readonly toFolder?: boolean
  /** The provider's id of the message. */
  readonly providerId?: string
  /** Why the last try failed. */
  readonly error?: string
  /** Why it was not sent; of SKIPPED mails. */
  readonly skipReason?: SkipReason
  /** How often it was opened, machines included. */
  readonly opens: number
  /** How often its links were followed, machines included. */
  readonly clicks: number
  /** When the next hop accepted it. */
  readonly sentAt?: Date
  /** When the recipient's server took it; when the next hop did, where no further report is expected. */
  readonly deliveredAt?: Date
  /** When it was first opened, by a person or a machine. */
  readonly openedAt?: Date
  /** When a link was first followed, by a person or a machine. */
  readonly clickedAt?: Date
  /** When it bounced for good. */
  readonly bouncedAt?: Date
  /** When the recipient reported it as spam. */
  readonly complainedAt?: Date
  /** When it failed for a temporary reason (a full mailbox, a time-out) and is not tried again. */
  readonly softBouncedAt?: Date
  /** The first opening and click not made by a machine (a scanner, an image proxy). */
  readonly humanOpenedAt?: Date
  /** The first click not made by a machine. */
  readonly humanClickedAt?: Date
  /** When the recipient unsubscribed by this mail's link. */
  readonly unsubscribedAt?: Date
  /** When a person first answered it. */
  readonly repliedAt?: Date
  /** Of received mail: the mail of ours that it answers. */
  readonly inReplyTo?: string
  /** When its variables were removed, with its contact or because they were old: it can no longer be rendered. */
  readonly redactedAt?: Date
  /** When it last changed; at first, when it was made. */
  readonly updatedAt: Date
}

/** The value of `to` once the contact is removed; no address looks like it. */
export const DELETED_RECIPIENT = 'deleted'

/**
 * Why a mail was skipped: its address is suppressed, its contact is unsubscribed, has paused, does not get its topic or
 * was removed, it was cancelled, or its contact gets nothing, so that others can be compared with it.
 */
export type SkipReason =
  | `suppressed:${SuppressionReason}`
  | 'unsubscribed'
  | 'paused'
  | 'topic'
  | 'contact-removed'
  | 'campaign-cancelled'
  | 'cancelled'
  /** Its contact has had as many marketing mails as the project allows. */
  | 'capped'
  | 'held-out'
  /** Its project or its key is for tests: it is kept as it would have been sent. */
  | 'caught'
  /** It was caught, and was cleared from the list of those since. */
  | 'cleared'

export interface EmailFilter {
  readonly status?: EmailStatus
  readonly contactId?: string
  readonly campaignId?: string
}

/** A worker's hold on a claimed row: results count only while the row has this token (fencing). */
export interface Lease {
  readonly token: string
  readonly until: Date
}

/** A claimed row, and what decides whether it may still be sent. */
export interface ClaimedEmail extends Email, Interrupted {
  readonly lease: Lease
  /** The reason of the address's suppression, if one is in force. */
  readonly suppressed?: SuppressionReason
  /** The contact's subscription at this time; undefined when the contact was removed. */
  readonly subscribed?: boolean
  /** True while the contact wants no marketing mail. */
  readonly paused?: boolean
  /** The contact's consent to tracking at this time; undefined when the contact was removed. */
  readonly tracking?: TrackingConsent
  /** The mode of its project at this time; absent when that is `live`. */
  readonly mode?: Exclude<ProjectMode, 'live'>
}

/** The result of one try, to be written into the ledger. */
export interface DeliveryResult {
  readonly emailId: string
  readonly projectId: ProjectId
  readonly token: string
  readonly at: Date
  readonly status: 'QUEUED' | 'SENT' | 'DELIVERED' | 'BOUNCED' | 'FAILED' | 'SKIPPED'
  /** For QUEUED: when to try again. */
  readonly dueAt?: Date
  readonly accepted?: readonly string[]
  readonly transport?: string
  /** True when the transport that took it reaches no recipient. */
  readonly toFolder?: boolean
  readonly providerId?: string
  readonly error?: string
  readonly skipReason?: SkipReason
  /** Stored together with the row, if the lease still holds. */
  readonly events: readonly EventRecord[]
  /**
   * `email.sent`, and `email.delivery` if it was delivered, of a mail that is SENT or DELIVERED, with the ids of
   * `ledgerEventId`. The row of the mail stands for them and keeps its `sentAt` from then on. Separate rows are written
   * only where a workflow or an endpoint waits for them.
   */
  readonly ledgerEvents?: readonly EventRecord[]
  /** Added to the suppression list, if the lease still holds and no campaign holds it back. */
  readonly suppress?: Suppression
  /** The contact has left for the reason of this event, likewise; it is stored only when it was subscribed before. */
  readonly unsubscribe?: ContactEvent
  /** The campaign of a bounce, which holds both back while it has a `hold`: see CampaignRepository. */
  readonly campaignId?: string
  /** True when it failed for a temporary reason. */
  readonly softBounced?: boolean
  /** The conversation of this try with each transport. Kept with the mail until its variables are removed. */
  readonly tries?: readonly MailTry[]
  /** Added to the figures of its domains, if the lease still holds. */
  readonly counted?: Counted
}

/** One transport that a mail was handed to, and what it answered. */
export interface MailTry {
  /** The mail's Date: when it began. */
  readonly at: Date
  /** The name of the transport. */
  readonly transport: string
  /** `unknown`: the connection broke, so that it may have been accepted. */
  readonly outcome: 'accepted' | 'refused' | 'unknown'
  /**
   * Why it was refused, or why the outcome is unknown; for an accepted mail the answer, when there is no conversation.
   */
  readonly reason?: string
  /** The answers of the next hop to each step, as far as the transport reports them. */
  readonly conversation?: Conversation
}

/** How many tries of a mail are kept: the last ones. */
export const KEPT_TRIES = 10

/** An opening or a click of a mail, or a look at the page to unsubscribe or to manage the subscription. */
export interface Activity {
  readonly projectId: ProjectId
  readonly emailId: string
  readonly kind: 'open' | 'click' | 'look'
  readonly at: Date
  /** Made by a scanner or an image proxy, not a person. */
  readonly machine: boolean
  /** The target of a click. */
  readonly link?: string
  /** False when the target is the same for all recipients. */
  readonly personal?: boolean
  /** Stored when this is the mail's first of its kind. */
  readonly event?: EventRecord
  /** Stored when it is not. */
  readonly repeatEvent?: EventRecord
  /**
   * For contacts with anonymous tracking, as far as the caller remembers: whether it counts as the mail's first
   * (`all`), as the first by a person after machines (`people`), or as a repeat (`nobody`). Absent: as the first.
   */
  readonly newTo?: 'all' | 'people' | 'nobody'
}

/**
 * `anonymous`: counted, but not recorded with the mail, as its contact wishes. `untracked`: neither recorded nor
 * counted, as the contact wishes, or because it was removed. `unknown`: the project has no such mail.
 */
export type ActivityOutcome = 'first' | 'repeat' | 'anonymous' | 'untracked' | 'unknown'

/** Until when a mail is put off; what is absent stays. */
export interface PutOff {
  readonly dueAt?: Date | undefined
  readonly reason?: string | undefined
  readonly expiresAt?: Date | undefined
}

export interface EmailRepository {
  find(projectId: ProjectId, id: string): Promise<Email | undefined>
  /** The mails with these ids, in any order; unknown ids are left out. */
  some(projectId: ProjectId, ids: readonly string[]): Promise<readonly Email[]>
  /** Up to `limit + 1`, newest first (by id). */
  page(projectId: ProjectId, filter: EmailFilter, page: PageRequest): Promise<readonly Email[]>
  count(projectId: ProjectId, filter: EmailFilter): Promise<number>
  /**
   * Contents by id, attachments included; unknown ids are left out. With `maxBytes` it stops at that many bytes (bodies
   * and attachments together), but answers at least one.
   */
  contents(ids: readonly string[], maxBytes?: number): Promise<readonly MailContent[]>
  /** The same without what may be large: `html` is empty, and there is neither a text nor an attachment. */
  contentHeads(ids: readonly string[]): Promise<readonly MailContent[]>
  /** Stores mails with their contents, if not stored yet; inside the transaction that decided on them. */
  add(emails: readonly Email[], contents: readonly MailContent[]): Promise<void>

  /**
   * Claims QUEUED mails that are due, the longest due first: they become SENDING with one more attempt, under the lease.
   * A campaign's mail is claimed only while the campaign is SENDING, and that claim waits for a `lock` of
   * CampaignRepository. Concurrent calls get different rows. Answers the claimed rows.
   */
  claimDue(due: DueMail, now: Date, lease: Lease): Promise<readonly ClaimedEmail[]>
  /**
   * Gives claimed rows back untried: they are QUEUED again with one attempt less and no lease. `dueAt`, if given, is
   * when they are due, `expiresAt` when they expire, and `reason` becomes the error. Rows under another lease stay
   * unchanged.
   */
  release(ids: readonly string[], token: string, now: Date, later?: PutOff): Promise<void>
  /** Makes QUEUED mails due `now` that are still due at the time given with them. */
  bringForward(mails: readonly { readonly id: string; readonly until: Date }[], now: Date): Promise<void>
  /**
   * Writes results, each only if its row still has the token of its lease; of two under one token the first counts.
   * SENT, DELIVERED (also `sentAt`) and BOUNCED set their times from `at`. A row that is further along keeps its
   * status. An absent `error` or `skipReason` clears that of the row; other absent fields stay. Changes to a contact
   * that was removed meanwhile are dropped. Concurrent calls may share a commit. Answers the ids that were written.
   */
  record(results: readonly DeliveryResult[]): Promise<ReadonlySet<string>>

  /**
   * Writes opens and clicks, and answers the outcome of each. Counters are always written; times only for the first of
   * all and the first by a person. A mail that was SENT becomes OPENED or CLICKED; one that is being sent does so when
   * its result is stored. A click does not count as an open. Of several first ones at the same time, one is `first`,
   * and only its event is stored. Clicks are also counted by link.
   *
   * The contact's consent at this time applies: with `anonymous` only the campaign's counters are written; with `none`,
   * or for a removed contact, nothing. What belongs to a burst (`values/burst.ts`) counts as a machine's, including
   * what came before the burst was recognised; a look serves only to recognise one. Concurrent calls may share a
   * commit.
   */
  recordActivity(activities: readonly Activity[]): Promise<readonly ActivityOutcome[]>
  /**
   * Records that the recipient unsubscribed by this mail's link; false when it is already recorded or there is no such
   * mail.
   */
  unsubscribedBy(projectId: ProjectId, emailId: string, at: Date): Promise<boolean>

  /** Makes SENDING rows whose lease ended before `now` QUEUED again with their former `dueAt`. Answers how many. */
  expireLeases(now: Date): Promise<number>
  /** The projects with QUEUED mail in this lane that belongs to no campaign, ordered by id. */
  waiting(lane: Lane): Promise<readonly WaitingMail[]>
}

/** A project with QUEUED mail, and when the first of it is due. */
export interface WaitingMail {
  readonly projectId: ProjectId
  readonly dueAt: Date
}

/**
 * Which mail a claim takes: that of a campaign, a share from each of these projects in a lane, without campaigns'
 * mail, or a single one of all that were interrupted, see `ClaimLease`.
 */
export type DueMail =
  | 'alone'
  | { readonly campaignId: string; readonly limit: number }
  | { readonly lane: Lane; readonly projectIds: readonly ProjectId[]; readonly share: number }
