import type { ProjectId } from '../../values/project-id.ts'
import type { Email, EmailStatus } from './emails.ts'

/** What news of a mail that was sent change of its row; what is absent stays. */
export interface MailNews {
  readonly projectId: ProjectId
  readonly emailId: string
  /** When it was written down. */
  readonly at: Date
  readonly status?: EmailStatus
  readonly error?: string
  readonly deliveredAt?: Date
  readonly bouncedAt?: Date
  readonly softBouncedAt?: Date
  readonly complainedAt?: Date
}

/** A report about a mail, by a name that is its own among the reports about this mail. */
export interface ReportKey {
  readonly emailId: string
  readonly key: string
  readonly at: Date
}

/** A mail to a contact, as far as it tells whether mail arrives there. */
export type ReachedMail = Pick<
  Email,
  'id' | 'status' | 'openedAt' | 'clickedAt' | 'deliveredAt' | 'bouncedAt' | 'softBouncedAt'
>

/** What reports about sent mail are written with. They name mails, not projects: these calls look at all of them. */
export interface FeedbackRepository {
  /** The mails of these ids, in any order; what is no id of a mail is left out. */
  mails(ids: readonly string[]): Promise<readonly Email[]>
  /**
   * The mails that their providers call so, in any order: of those whose delivery was left for the provider to report
   * (`deliveryPending`) alone.
   */
  mailsOfProvider(providerIds: readonly string[]): Promise<readonly Email[]>
  /** As `mails`, in the order of ids, inside a transaction: nobody else changes them until it ends. */
  lock(ids: readonly string[]): Promise<readonly Email[]>
  /** Writes the news, each mail at most once. An error is not written into a mail that was redacted. */
  write(news: readonly MailNews[]): Promise<void>
  /** Up to `limit` mails to this contact that were accepted since, newest first (by id). */
  mailsTo(projectId: ProjectId, contactId: string, since: Date, limit: number): Promise<readonly ReachedMail[]>
  /** Notes the reports; answers those that were not known, each once. Of several at the same time one is told. */
  firstTime(keys: readonly ReportKey[]): Promise<readonly ReportKey[]>
  /** Forgets up to `limit` reports that were noted before; answers how many. */
  forget(before: Date, limit: number): Promise<number>
}
