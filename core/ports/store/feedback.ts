import type { ProjectId } from '../../values/project-id.ts'
import type { Email, EmailStatus } from './emails.ts'

/** The changes a report makes to a mail's row; absent fields stay. */
export interface MailNews {
  readonly projectId: ProjectId
  readonly emailId: string
  /** When it was written. */
  readonly at: Date
  readonly status?: EmailStatus
  readonly error?: string
  readonly deliveredAt?: Date
  readonly bouncedAt?: Date
  readonly softBouncedAt?: Date
  readonly complainedAt?: Date
}

/** A report's key, unique among the reports on its mail. */
export interface ReportKey {
  readonly emailId: string
  readonly key: string
  readonly at: Date
}

/** The fields of a mail that show whether it reached the contact. */
export type ReachedMail = Pick<
  Email,
  'id' | 'status' | 'openedAt' | 'clickedAt' | 'deliveredAt' | 'bouncedAt' | 'softBouncedAt'
>

/** Writes reports on sent mail. They name mails, not projects, so these calls search all projects. */
export interface FeedbackRepository {
  /** The mails with these ids, in any order; unknown ids are left out. */
  mails(ids: readonly string[]): Promise<readonly Email[]>
  /**
   * The mails with these provider ids, in any order; only those whose delivery the provider still reports
   * (`deliveryPending`).
   */
  mailsOfProvider(providerIds: readonly string[]): Promise<readonly Email[]>
  /** As `mails`, in the order of ids, inside a transaction, which locks them until it ends. */
  lock(ids: readonly string[]): Promise<readonly Email[]>
  /** Writes the changes, each mail at most once. A redacted mail gets no error. */
  write(news: readonly MailNews[]): Promise<void>
  /** Up to `limit` mails to this contact that were accepted since, newest first (by id). */
  mailsTo(projectId: ProjectId, contactId: string, since: Date, limit: number): Promise<readonly ReachedMail[]>
  /** Up to `limit` received mails that answer this one, newest first (by id). */
  repliesTo(projectId: ProjectId, emailId: string, limit: number): Promise<readonly Email[]>
  /** Notes that the mail was answered; the first time stays. */
  replied(projectId: ProjectId, emailId: string, at: Date): Promise<void>
  /** Stores the reports' keys; answers those that were new, each once. Of concurrent calls only one gets a key. */
  firstTime(keys: readonly ReportKey[]): Promise<readonly ReportKey[]>
  /** Deletes up to `limit` keys from before that date; answers how many. */
  forget(before: Date, limit: number): Promise<number>
}
