import type { PageRequest } from '../../values/page.ts'
import type { ProjectId } from '../../values/project-id.ts'
import type { TestPart } from './campaigns.ts'
import type { Email, EmailFilter, MailTry } from './emails.ts'

/** A person opened or clicked the mail, or an event happened to its contact since then. */
export type MetMetric = { readonly human: 'opened' | 'clicked' } | { readonly event: string; readonly from: Date }

/** A contact, and since when its mails are counted. */
export interface MailedSince {
  readonly contactId: string
  readonly since: Date
}

/** The ledger as users work with it: search mails, and change single ones. */
export interface MailRepository {
  /**
   * Those of these contacts that a campaign or a workflow has mailed since, or is about to mail, and how often. Mail that
   * was skipped, failed or bounced does not count, nor does mail that was accepted more than a week before.
   */
  mailedSince(projectId: ProjectId, contactIds: readonly string[], since: Date): Promise<ReadonlyMap<string, number>>
  /**
   * How many marketing mails each of these contacts has had since, or is about to get, in their order, by one statement.
   * As above, but mail of the API counts, too, tests do not, and it may have been accepted up to a year before.
   */
  marketingSince(projectId: ProjectId, asked: readonly MailedSince[]): Promise<readonly number[]>
  /**
   * Up to `limit + 1` mails that match, newest first (by id). It goes through the project's mails in pieces and stops
   * after about `forMs` milliseconds; `lookedTo` is then the id down to which all have been searched. Other calls do
   * not wait for it.
   */
  search(projectId: ProjectId, search: MailSearch, page: PageRequest, forMs: number): Promise<FoundMails>
  /** How many mails match; undefined when counting takes longer than about `forMs` milliseconds. */
  countFound(projectId: ProjectId, search: MailSearch, forMs: number): Promise<number | undefined>
  /** The tries of a mail that are kept, oldest first. */
  tries(projectId: ProjectId, id: string): Promise<readonly MailTry[]>
  /**
   * Makes the mail SKIPPED (`cancelled`) if it is QUEUED, and answers whether it did. Of this and a concurrent claim,
   * one succeeds.
   */
  cancel(projectId: ProjectId, id: string, now: Date): Promise<boolean>
  /**
   * Sets when the mail is due, and when it expires (unchanged if undefined), if it is QUEUED; answers whether it did.
   * Of this and a concurrent claim, one succeeds. A due time that a caller set does not follow the clock: see
   * `Store.moveUp`.
   */
  redate(projectId: ProjectId, id: string, change: NewDate, now: Date): Promise<boolean>
  /** Makes up to `limit` mails that were skipped as `caught`, or the one with this id, `cleared` instead; answers how many. */
  clearCaught(
    projectId: ProjectId,
    which: { readonly limit: number } | { readonly id: string },
    now: Date,
  ): Promise<number>
}

/** When a mail is due, and when it expires. */
export interface NewDate {
  readonly dueAt: Date
  readonly expiresAt?: Date
}

/** Narrows the mails to those that meet all of these conditions. Texts are in lower case; matching ignores case. */
export interface MailSearch extends EmailFilter {
  /** Accepted at or after this time, and before that one. */
  readonly from?: Date
  readonly before?: Date
  /** It was caught, and is not cleared yet. */
  readonly caught?: true
  /** It has this id. */
  readonly id?: string
  /**
   * Sent to exactly this address. A campaign's mails are found by the contact that has the address now.
   */
  readonly address?: string
  readonly words?: readonly MailWord[]
  readonly tags?: readonly MailTag[]
  readonly happened?: readonly MailMoment[]
  /** None of this has happened to it although it was handed over; with `sent`, it was not handed over. */
  readonly missing?: readonly MailMoment['what'][]
  /** It answers this mail of ours. */
  readonly inReplyTo?: string
  /** This link was clicked by the recipient, not only by a machine. */
  readonly link?: string
  /** It belongs to this part of a campaign's test. */
  readonly variant?: TestPart
  /** The recipient met what variants are compared by. */
  readonly met?: MetMetric
}

/**
 * A text that is part of the recipient's address (`to`), of the sender's address (`from`), of the subject as it was
 * written, of the recipient's address or the subject (`any`), of the error; or that is the domain of the recipient, or
 * the Message-ID or the provider's id, without angle brackets (`id`; letter case counts).
 */
export interface MailWord {
  readonly in: 'to' | 'from' | 'subject' | 'any' | 'error' | 'domain' | 'id'
  readonly text: string
}

/** A tag with this value, or with any. */
export interface MailTag {
  readonly name: string
  readonly value?: string
}

/** Things that may have happened to a mail. */
export const HAPPENINGS = [
  'sent',
  'delivered',
  'opened',
  'clicked',
  'bounced',
  'complained',
  'unsubscribed',
  'replied',
] as const

/** Something happened to the mail (the first opening, a permanent bounce), at or after `from` and before `to`. */
export interface MailMoment {
  readonly what: (typeof HAPPENINGS)[number]
  readonly from?: Date
  readonly to?: Date
}

/** The mails that a search has found so far. */
export interface FoundMails {
  readonly mails: readonly Email[]
  readonly lookedTo?: string
}
