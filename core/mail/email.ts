import type { MailContent } from '../ports/store/contents.ts'
import type { ClaimedEmail, Email } from '../ports/store/emails.ts'
import { asciiAddress, domainOf } from '../values/email-address.ts'

/** What a new mail is made of. */
type NewEmail = Pick<Email, 'id' | 'projectId' | 'contentId' | 'to' | 'sourceType' | 'lane' | 'variables'> &
  Partial<
    Pick<
      Email,
      'contactId' | 'toName' | 'status' | 'templateId' | 'campaignId' | 'tags' | 'createdAt' | 'dueAt' | 'expiresAt'
    >
  >

/** The record of a mail nothing has happened to yet: QUEUED and due at once, unless it says otherwise. */
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

/** The Message-ID of an e-mail record (RFC 5322): the same on every try, so that a repeat can be recognised. */
export function messageIdOf(emailId: string, from: string): string {
  return `<${emailId}@${domainOf(asciiAddress(from))}>`
}

/** A test of a campaign: of all mails of campaigns the only ones without one. It goes to whoever is named, contact or not. */
export function isTest({ sourceType, campaignId }: Email): boolean {
  return sourceType === 'CAMPAIGN' && campaignId === undefined
}

/** True when what the mail said can no longer be told: its variables were removed, or its words. */
export function isForgotten({ redactedAt }: Email, { linksOnly }: MailContent): boolean {
  return redactedAt !== undefined || linksOnly === true
}

/** A mail, and what its contact allows to be tracked, where that is known. */
export type MailToFill = Email & Pick<ClaimedEmail, 'tracking'>
