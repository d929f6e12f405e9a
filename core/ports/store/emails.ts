import type { JsonObject } from '../../values/json.ts'
import type { PageRequest } from '../../values/page.ts'
import type { ProjectId } from '../../values/project-id.ts'
import type { TrackingConsent } from '../../values/tracking-consent.ts'
import type { Lane } from '../queue.ts'
import type { MailContent } from './contents.ts'
import type { EventRecord } from './events.ts'
import type { Counted } from './reputation.ts'
import type { Suppression, SuppressionReason } from './suppressions.ts'

/** The life of an e-mail record. A later stage never falls back to an earlier one. */
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

export const SOURCE_TYPES = ['TRANSACTIONAL', 'CAMPAIGN', 'WORKFLOW', 'INBOUND'] as const
export type SourceType = (typeof SOURCE_TYPES)[number]

/** The ledger's row: one mail to one recipient, from acceptance to its last news. */
export interface Email {
  readonly id: string
  readonly projectId: ProjectId
  /** Absent when the contact was removed since. */
  readonly contactId?: string
  readonly contentId: string
  readonly to: string
  readonly toName?: string
  readonly status: EmailStatus
  readonly sourceType: SourceType
  readonly lane: Lane
  readonly templateId?: string
  readonly campaignId?: string
  /** What the placeholders are filled in with: the contact's data as it was when accepted, and this call's own. */
  readonly variables: JsonObject
  readonly tags: Readonly<Record<string, string>>
  readonly createdAt: Date
  /** Not to be handed to a transport before. */
  readonly dueAt: Date
  /** From then on it is not sent any more; absent when its lifetime is the usual one, from `createdAt`. */
  readonly expiresAt?: Date
  /** How many tries were begun. */
  readonly attempts: number
  /** Envelope recipients an earlier try delivered to, when others were put off. */
  readonly accepted: readonly string[]
  readonly transport?: string
  /** What the provider calls the message. */
  readonly providerId?: string
  /** Why the last try failed. */
  readonly error?: string
  readonly skipReason?: SkipReason
  readonly opens: number
  readonly clicks: number
  readonly sentAt?: Date
  readonly deliveredAt?: Date
  readonly openedAt?: Date
  readonly clickedAt?: Date
  readonly bouncedAt?: Date
  readonly complainedAt?: Date
  /** When it failed for a reason that may pass (a full mailbox, a time-out) and is not tried again. */
  readonly softBouncedAt?: Date
  /** The first opening and click that no machine (a scanner, an image proxy) made. */
  readonly humanOpenedAt?: Date
  readonly humanClickedAt?: Date
  /** When the recipient unsubscribed by this mail's link. */
  readonly unsubscribedAt?: Date
  /** When its variables were removed, because its contact was or because they were old: nobody can fill it in any more. */
  readonly redactedAt?: Date
  readonly updatedAt: Date
}

/** What `to` reads once the contact was removed; no address looks like it. */
export const DELETED_RECIPIENT = 'deleted'

/** Why a mail was left out: its address is suppressed, or its contact is unsubscribed or removed. */
export type SkipReason = `suppressed:${SuppressionReason}` | 'unsubscribed' | 'contact-removed' | 'campaign-cancelled'

export interface EmailFilter {
  readonly status?: EmailStatus
  readonly contactId?: string
  readonly campaignId?: string
}

/** The worker's hold on a claimed row: results count only while the token is the row's own (fencing). */
export interface Lease {
  readonly token: string
  readonly until: Date
}

/** A claimed row with what decides whether it may still be sent. */
export interface ClaimedEmail extends Email {
  readonly lease: Lease
  /** The address's entry on the suppression list, when it has one in force. */
  readonly suppressed?: SuppressionReason
  /** The contact's subscription at this moment; undefined when the contact was removed. */
  readonly subscribed?: boolean
  /** The contact's consent to tracking at this moment; undefined as well. */
  readonly tracking?: TrackingConsent
}

/** What one try came to, as it is written into the ledger. */
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
  readonly providerId?: string
  readonly error?: string
  readonly skipReason?: SkipReason
  /** Stored together with the row, when the lease still holds. */
  readonly events: readonly EventRecord[]
  /** Put on the suppression list, when the lease still holds. */
  readonly suppress?: Suppression
  /** The contact is unsubscribed; the event is stored only when it was subscribed before. */
  readonly unsubscribe?: EventRecord
  /** True when it failed for a reason that may pass. */
  readonly softBounced?: boolean
  /** Added to the figures of its domains, when the lease still holds. */
  readonly counted?: Counted
}

/** An opening or a click of a mail, as it was asked for. */
export interface Activity {
  readonly projectId: ProjectId
  readonly emailId: string
  readonly kind: 'open' | 'click'
  readonly at: Date
  /** Not by a person: a scanner, an image proxy. */
  readonly machine: boolean
  /** Stored when this is the mail's first of its kind. */
  readonly event?: EventRecord
  /** Stored when it is not. */
  readonly repeatEvent?: EventRecord
  /**
   * As what it counts where nothing may be noted of who did it, as far as its recorder remembers: as the mail's first, as
   * the first by a person after machines, or as no first. Absent: as the first.
   */
  readonly newTo?: 'all' | 'people' | 'nobody'
}

/**
 * `anonymous`: counted, but not noted at the mail, as its contact wishes. `untracked`: nothing is noted or counted, as the
 * contact wishes, or because it was removed. `unknown`: the project has no such mail.
 */
export type ActivityOutcome = 'first' | 'repeat' | 'anonymous' | 'untracked' | 'unknown'

export interface EmailRepository {
  find(projectId: ProjectId, id: string): Promise<Email | undefined>
  /** Up to `limit + 1`, newest first (by id). */
  page(projectId: ProjectId, filter: EmailFilter, page: PageRequest): Promise<readonly Email[]>
  count(projectId: ProjectId, filter: EmailFilter): Promise<number>
  /**
   * Contents by id, attachments included; unknown ids are left out. With `maxBytes` no more contents are answered than
   * have so many bytes together (bodies and attachments), but always one.
   */
  contents(ids: readonly string[], maxBytes?: number): Promise<readonly MailContent[]>
  /** Stores mails with those of their contents that are not stored yet; for use inside the transaction that decided on them. */
  add(emails: readonly Email[], contents: readonly MailContent[]): Promise<void>

  /**
   * Takes what is QUEUED and due of these rows: SENDING, one more attempt, under the lease. Of two claims of a row at
   * the same time one gets it. A mail of a campaign is left alone unless that is SENDING. Answers the rows it got.
   */
  claim(ids: readonly string[], now: Date, lease: Lease): Promise<readonly ClaimedEmail[]>
  /**
   * As `claim`, up to `limit` mails of a campaign, those first that have been due for longest; none unless the campaign is
   * SENDING. Several at the same time get different rows. While a CampaignRepository holds a `lock`, it waits.
   */
  claimOfCampaign(campaignId: string, limit: number, now: Date, lease: Lease): Promise<readonly ClaimedEmail[]>
  /**
   * Gives claimed rows back untried: QUEUED, one attempt less, lease gone, and due at `dueAt`, with `reason` as the row's
   * error, when they are given. Rows under another lease stay as they are.
   */
  release(ids: readonly string[], token: string, now: Date, dueAt?: Date, reason?: string): Promise<void>
  /**
   * Writes results, each only if its row is still under its lease's token; of two under one token the first counts. SENT,
   * DELIVERED (`sentAt` too) and BOUNCED set their times from `at`; where the row knows of a later stage that is its status. An absent `error` or `skipReason` clears the row's, what
   * else is absent stays. What concerns a contact removed meanwhile is left out. Concurrent calls may share a commit. Answers the ids that were written.
   */
  record(results: readonly DeliveryResult[]): Promise<ReadonlySet<string>>

  /**
   * Writes openings and clicks: counters always, times of the first of all and of the first by a person. A mail that was
   * SENT becomes OPENED or CLICKED, one in work when its result is stored; a click is no opening. Of several first ones at
   * the same time one is `first`, and only its event is stored. What the mail's contact allows at this moment counts: with
   * `anonymous` only the campaign's counters are written, with `none`, and of a contact that was removed, nothing.
   * Concurrent calls may share a commit. Answers what each was.
   */
  recordActivity(activities: readonly Activity[]): Promise<readonly ActivityOutcome[]>
  /** Notes that the recipient unsubscribed by this mail's link; false when that is known already or there is no such mail. */
  unsubscribedBy(projectId: ProjectId, emailId: string, at: Date): Promise<boolean>

  /** SENDING rows whose lease ended before `now` become QUEUED again with the `dueAt` they had. Answers how many. */
  expireLeases(now: Date): Promise<number>
  /** Ids of QUEUED rows of no campaign due by `now`, by lane in LANES order, then id; behind `after`; at most `limit`. */
  due(now: Date, limit: number, after?: DuePosition): Promise<readonly DueEmail[]>
}

export interface DueEmail {
  readonly id: string
  readonly lane: Lane
}

export type DuePosition = DueEmail
