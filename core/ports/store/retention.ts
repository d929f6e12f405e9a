import type { ProjectId } from '../../values/project-id.ts'
import type { CampaignStatus } from './campaigns.ts'
import type { MailContent } from './contents.ts'
import type { Email, EmailStatus } from './emails.ts'
import type { ExecutionStatus } from './executions.ts'

/** A removed contact, some of whose data may remain. `ContactRepository.remove` notes it in its transaction. */
export interface Erasure {
  readonly contactId: string
  readonly projectId: ProjectId
  readonly removedAt: Date
}

/** The fields of a mail that erasing needs. */
export type StoredMail = Pick<Email, 'id' | 'contentId' | 'campaignId'>

/** A mail that may be old enough to redact. */
export interface AgedMail extends StoredMail, Pick<Email, 'sentAt' | 'redactedAt' | 'updatedAt'> {
  readonly status: EmailStatus
  /** Its campaign, if it still exists: its status, and when it ended. */
  readonly campaign?: { readonly status: CampaignStatus; readonly endedAt: Date }
}

/** An execution that may be old enough to redact. */
export interface AgedExecution {
  readonly id: string
  readonly status: ExecutionStatus
  readonly completedAt?: Date
  readonly redactedAt?: Date
}

/** A mail with its new content. */
export type MailContentChange = Pick<StoredMail, 'id' | 'contentId'> & { readonly newContentId: string }

/**
 * A range of ids, oldest first. Ids grow with time, so the rows after one id and before another are those of a period.
 */
export interface Stretch {
  readonly after: string
  readonly before: string
  readonly limit: number
}

/**
 * Removes data permanently: what remains of removed contacts, and old data. Every call handles a bounded number of
 * rows, so that other callers never wait long for the database. Unlike other repositories, it concerns all projects at
 * once. Rules by age are applied again when a power cut loses some of what they changed, so they need not wait for the
 * disk, as long as no position is kept without the changes before it.
 */
export interface RetentionRepository {
  /** Erasures that are due, the longest first. */
  dueErasures(now: Date, limit: number): Promise<readonly Erasure[]>
  /** Notes that nothing is left of these contacts. They are checked once more at `again`, if given. */
  erased(contactIds: readonly string[], again?: Date): Promise<void>
  /**
   * Up to `limit` mails to or from these removed contacts that are not erased yet, with those that came in from their
   * addresses when these were no contacts.
   */
  mailsTo(projectId: ProjectId, contactIds: readonly string[], limit: number): Promise<readonly StoredMail[]>
  /**
   * Erases personal data from mails: address, name, variables, tags, errors and contact are removed, figures stay;
   * QUEUED ones become SKIPPED (`contact-removed`). Sets their new contents, storing those not stored yet; a content
   * without mails is removed, unless it belongs to a campaign.
   */
  eraseMails(
    projectId: ProjectId,
    mails: readonly MailContentChange[],
    contents: readonly MailContent[],
    now: Date,
  ): Promise<void>
  /**
   * Removes up to `limit` rows of each kind about these contacts: events, requests to customers, memberships in
   * segments. Their executions stay, without event data and results. Mails that such an execution sent to others about
   * them lose their variables. True when more may be left.
   */
  eraseHistory(projectId: ProjectId, contactIds: readonly string[], limit: number, now: Date): Promise<boolean>

  /** The progress of a rule: everything up to this id is done. */
  position(rule: string): Promise<string | undefined>
  setPosition(rule: string, position: string): Promise<void>
  /** Mails of all projects. */
  mails(stretch: Stretch): Promise<readonly AgedMail[]>
  /** Removes the variables of those of these mails that are neither QUEUED nor SENDING. */
  removeVariables(ids: readonly string[], now: Date): Promise<void>
  /** As `eraseMails`, but changes only the content; mails that are QUEUED or SENDING keep theirs. */
  changeContents(mails: readonly MailContentChange[], contents: readonly MailContent[]): Promise<void>
  /**
   * Contents without attachments and texts: as many as have at most `maxBytes` of HTML together, but at least one.
   * Unknown ids are left out.
   */
  contents(contentIds: readonly string[], maxBytes: number): Promise<readonly MailContent[]>
  /** Executions of all projects. */
  executions(stretch: Stretch): Promise<readonly AgedExecution[]>
  /** Removes event data and step results from executions that have ended. */
  redactExecutions(ids: readonly string[], now: Date): Promise<void>
  /** Removes the events that the rows of these mails stand for, if the mails were sent before this moment. */
  removeLedgerEvents(ids: readonly string[], before: Date): Promise<void>
  /** Removes events of all projects; answers the last id removed. */
  removeEvents(stretch: Stretch): Promise<string | undefined>
}
