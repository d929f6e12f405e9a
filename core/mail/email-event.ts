import type { OutgoingMail } from '../ports/mail-transport.ts'
import type { Email } from '../ports/store/emails.ts'
import type { JsonObject } from '../values/json.ts'

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
