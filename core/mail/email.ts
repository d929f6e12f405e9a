import type { OutgoingMail } from '../ports/mail-transport.ts'
import type { MailContent } from '../ports/store/contents.ts'
import type { ClaimedEmail, Email } from '../ports/store/emails.ts'
import type { EngineValues } from '../settings/engine-values.ts'
import { asciiAddress, domainOf } from '../values/email-address.ts'
import type { JsonObject } from '../values/json.ts'

/** The fields a new mail is made from. */
type NewEmail = Pick<Email, 'id' | 'projectId' | 'contentId' | 'to' | 'sourceType' | 'lane' | 'variables'> &
  Partial<
    Pick<
      Email,
      | 'contactId'
      | 'toName'
      | 'status'
      | 'skipReason'
      | 'toFolder'
      | 'templateId'
      | 'campaignId'
      | 'variant'
      | 'tags'
      | 'createdAt'
      | 'dueAt'
      | 'expiresAt'
    >
  >

/** A new mail's record: QUEUED and due at once, unless the fields say otherwise. */
export function newEmail(now: Date, fields: NewEmail): Email {
  return {
    status: 'QUEUED',
    tags: {},
    createdAt: now,
    dueAt: now,
    attempts: 0,
    accepted: [],
    opens: 0,
    clicks: 0,
    updatedAt: now,
    ...fields,
  }
}

/** When a mail without its own limit expires, given when it is first due. */
export function usualEnd(firstDue: Date, { delivery }: Pick<EngineValues, 'delivery'>): Date {
  return new Date(firstDue.getTime() + delivery.expireAfter * 1000)
}

/** The Message-ID of an e-mail record (RFC 5322): the same on every try, so that a repeat can be recognised. */
export function messageIdOf(emailId: string, from: string): string {
  return `<${emailId}@${domainOf(asciiAddress(from))}>`
}

/** Whether a test key sent it, so that no transport has it: one that a folder took has a time of that. */
export function isOfTestKey({ toFolder, sentAt }: Pick<Email, 'toFolder' | 'sentAt'>): boolean {
  return toFolder === true && sentAt === undefined
}

/** A test: its source is a campaign, but it has no campaign id. It goes to any address, contact or not. */
export function isTest({ sourceType, campaignId }: Pick<Email, 'sourceType' | 'campaignId'>): boolean {
  return sourceType === 'CAMPAIGN' && campaignId === undefined
}

/** The tag of mails about accounts. */
export const ACCOUNT_TAG = { mailwright: 'account' } as const

/**
 * True for a mail about an account, which only the engine makes: it has its own tag, and the form of a test. Only its
 * recipient gets to see its text, its source or a copy: its link gives away the account, and the right to read a
 * project's mails is not that to be another person.
 */
export function isConfidential(email: Pick<Email, 'tags' | 'sourceType' | 'campaignId'>): boolean {
  return isTest(email) && email.tags.mailwright === ACCOUNT_TAG.mailwright
}

/** The tag of mails to seed lists. */
export const SEED_TAG = { mailwright: 'seed' } as const

/** True for a mail to a seed list, which only the engine makes: an opening of it is no reader's. */
export function isSeed(email: Pick<Email, 'tags' | 'sourceType' | 'campaignId'>): boolean {
  return isTest(email) && email.tags.mailwright === SEED_TAG.mailwright
}

/** The kinds of mail that stand apart from a project's own: they count nowhere, and are not sent again. */
export const APART = ['account', 'test'] as const

/** Which of these a mail is, if any. */
export function apartAs(email: Pick<Email, 'tags' | 'sourceType' | 'campaignId'>): (typeof APART)[number] | undefined {
  if (!isTest(email)) return undefined
  return isConfidential(email) ? 'account' : 'test'
}

/** True when the mail's text is lost: its variables or its content were removed. */
export function isForgotten({ redactedAt }: Pick<Email, 'redactedAt'>, { linksOnly }: MailContent): boolean {
  return redactedAt !== undefined || linksOnly === true
}

/** The fields of a mail that are filled into its content, and its contact's tracking consent if known. */
export type MailToFill = Pick<
  Email,
  | 'id'
  | 'projectId'
  | 'contactId'
  | 'to'
  | 'toName'
  | 'sourceType'
  | 'templateId'
  | 'campaignId'
  | 'variables'
  | 'tags'
  | 'accepted'
  | 'redactedAt'
> &
  Pick<ClaimedEmail, 'tracking'>

/** The facts of a mail that its events carry. */
export type MailFacts = Pick<OutgoingMail, 'from' | 'subject' | 'messageId'>

/** The fields every e-mail event carries (specification, "Email event data"). */
export function emailEventData(email: Email, { from, subject, messageId }: MailFacts): JsonObject {
  return {
    // unknown once the values it was rendered with are removed
    subject: email.redactedAt ? '' : subject,
    from: from.email,
    fromName: from.name ?? '',
    messageId,
    emailId: email.id,
    templateId: email.templateId ?? null,
    campaignId: email.campaignId ?? null,
    sourceType: email.sourceType,
  }
}
