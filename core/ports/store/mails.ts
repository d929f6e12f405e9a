import type { ProjectId } from '../../values/project-id.ts'

/** What people do with single mails of the ledger. */
export interface MailRepository {
  /**
   * Makes the mail SKIPPED (`cancelled`) if it is QUEUED. Of this and a claim at the same time one succeeds. Answers
   * whether it was.
   */
  cancel(projectId: ProjectId, id: string, now: Date): Promise<boolean>
  /**
   * Sets when the mail is due, and when it expires (unchanged if undefined), if it is QUEUED. Of this and a claim at the
   * same time one succeeds. Answers whether it was. A due time that a caller gave does not follow the clock: see
   * `Store.moveUp`.
   */
  redate(projectId: ProjectId, id: string, change: NewDate, now: Date): Promise<boolean>
}

/** When a mail is due, and when it expires. */
export interface NewDate {
  readonly dueAt: Date
  readonly expiresAt?: Date
}
