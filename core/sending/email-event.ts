import type { JsonObject } from '../values/json.ts'
import type { MailContent } from './content.ts'
import { type Email, messageIdOf } from './email.ts'

/** The fields every e-mail event carries (specification, "Email event data"). */
export function emailEventData(email: Email, content: Pick<MailContent, 'from'>, subject: string): JsonObject {
  return {
    subject,
    from: content.from.email,
    fromName: content.from.name ?? '',
    messageId: messageIdOf(email.id, content.from.email),
    emailId: email.id,
    templateId: email.templateId ?? null,
    campaignId: email.campaignId ?? null,
    sourceType: email.sourceType,
  }
}
