import type { OutgoingMail } from '../ports/mail-transport.ts'
import type { Email } from '../ports/store/emails.ts'
import type { JsonObject } from '../values/json.ts'

/** What a mail says of itself. */
export type MailFacts = Pick<OutgoingMail, 'from' | 'subject' | 'messageId'>

/** The fields every e-mail event carries (specification, "Email event data"). */
export function emailEventData(email: Email, { from, subject, messageId }: MailFacts): JsonObject {
  return {
    // without the values it was filled in with, nobody knows it
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
