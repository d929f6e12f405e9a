import type { ProjectId } from '../../values/project-id.ts'
import type { CampaignStatus } from './campaigns.ts'
import type { MailContent } from './contents.ts'
import type { Email, EmailStatus } from './emails.ts'
import type { ExecutionStatus } from './executions.ts'

/** A removed contact of which something may be left. `ContactRepository.remove` notes it in its transaction. */
export interface Erasure {
  readonly contactId: string
  readonly projectId: ProjectId
  readonly removedAt: Date
}

/** A mail as far as erasing it needs to know it. */
export type StoredMail = Pick<Email, 'id' | 'contentId' | 'campaignId'>

/** A mail that may have become old. */
export interface AgedMail extends StoredMail, Pick<Email, 'redactedAt' | 'updatedAt'> {
  readonly status: EmailStatus
  /** Its campaign, when that is still there: how it is, and when it was done with. */
  readonly campaign?: { readonly status: CampaignStatus; readonly endedAt: Date }
}

/** An execution that may have become old. */
export interface AgedExecution {
  readonly id: string
  readonly status: ExecutionStatus
  readonly completedAt?: Date
  readonly redactedAt?: Date
}

/** A mail with the content it is to have from now on. */
export type MailContentChange = Pick<StoredMail, 'id' | 'contentId'> & { readonly newContentId: string }

/** Ids grow with time: rows `after` one id and `before` another are those of a time, oldest first. */
export interface Stretch {
  readonly after: string
  readonly before: string
  readonly limit: number
}

/**
 * What removes data for good: what is left of removed contacts, and what is old. Every call looks at a bounded number of
 * rows, so that nobody waits long for the database. Unlike other repositories it concerns all projects at once.
 */
export interface RetentionRepository {
  /** Erasures that are due, the longest first. */
  dueErasures(now: Date, limit: number): Promise<readonly Erasure[]>
  /** Nothing is left of these contacts: they are looked at once more at `again`, or never when it is missing. */
  erased(contactIds: readonly string[], again?: Date): Promise<void>
  /** Up to `limit` mails to these removed contacts that do not read so yet. */
  mailsTo(projectId: ProjectId, contactIds: readonly string[], limit: number): Promise<readonly StoredMail[]>
  /**
   * Takes the person out of mails: address, name, variables, tags, errors and contact go, figures stay; what is QUEUED
   * becomes SKIPPED (`contact-removed`). Gives them their new contents, storing those not stored yet; a content that no
   * mail points at any more is removed, unless it is of a campaign.
   */
  eraseMails(
    projectId: ProjectId,
    mails: readonly MailContentChange[],
    contents: readonly MailContent[],
    now: Date,
  ): Promise<void>
  /**
   * Removes up to `limit` rows of each kind that speak of these contacts: events, requests to customers, memberships in
   * segments. Their executions stay, with nothing of what they were told; mails to others that such an execution wrote
   * about them lose their variables. True when more may be left.
   */
  eraseHistory(projectId: ProjectId, contactIds: readonly string[], limit: number, now: Date): Promise<boolean>

  /** How far a rule has come: everything up to this id is done with. */
  position(rule: string): Promise<string | undefined>
  setPosition(rule: string, position: string): Promise<void>
  /** Mails of all projects. */
  mails(stretch: Stretch): Promise<readonly AgedMail[]>
  /** Takes the variables out of those of these mails that are neither QUEUED nor SENDING. */
  removeVariables(ids: readonly string[], now: Date): Promise<void>
  /** As `eraseMails` does, without touching anything else; mails that are QUEUED or SENDING keep their content. */
  changeContents(mails: readonly MailContentChange[], contents: readonly MailContent[]): Promise<void>
  /**
   * Contents without attachments and texts: the first of these whose HTML has at most so many bytes together, but always
   * one; those that are not stored are left out.
   */
  contents(contentIds: readonly string[], maxBytes: number): Promise<readonly MailContent[]>
  /** Executions of all projects. */
  executions(stretch: Stretch): Promise<readonly AgedExecution[]>
  /** Takes what they were told and what their steps answered out of executions that have ended. */
  redactExecutions(ids: readonly string[], now: Date): Promise<void>
  /** Removes events of all projects; answers the last id removed. */
  removeEvents(stretch: Stretch): Promise<string | undefined>
}
