import * as v from 'valibot'
import { SOURCE_TYPES } from '../../core/ports/store/emails.ts'
import type { CaughtMail, CaughtMailDetail } from '../../core/sandbox/sandbox.ts'
import { named } from '../../core/values/described.ts'
import type { NamedAddress } from '../../core/values/mailbox.ts'
import { mailboxLine } from '../../core/values/mailbox-line.ts'
import { answer } from './answer.ts'
import { ReceivedAttachment } from './emails.ts'
import { Count, Id, many, Time } from './parts.ts'

const caught = {
  id: Id,
  to: v.string(),
  toName: v.optional(v.string()),
  from: v.string(),
  fromName: v.optional(v.string()),
  subject: v.nullable(v.string()),
  text: v.nullable(v.string()),
  code: v.nullable(v.string()),
  links: many(named('CaughtLink', v.object({ url: v.string(), text: v.string() }))),
  files: Count,
  byTestKey: v.boolean(),
  sourceType: v.picklist(SOURCE_TYPES),
  contactId: v.nullable(Id),
  templateId: v.nullable(Id),
  campaignId: v.nullable(Id),
  tags: v.record(v.string(), v.string()),
  opens: Count,
  clicks: Count,
  createdAt: Time,
}

function shown({ message, links, code }: CaughtMail) {
  const { email, from, subject, text, files = [] } = message
  return {
    ...email,
    from: from.email,
    fromName: from.name,
    subject,
    text,
    code,
    links: [...links],
    files: files.length,
    byTestKey: email.toFolder === true,
  }
}

/** A caught mail in a list, with what tests look for. */
export const CaughtMailAnswer = answer('CaughtMail', caught, shown)

/** A caught mail, whole. */
export const CaughtMailDetailAnswer = answer(
  'CaughtMailDetail',
  {
    ...caught,
    html: v.nullable(v.string()),
    alsoTo: many(v.string()),
    cc: many(v.string()),
    bcc: many(v.string()),
    replyTo: v.optional(v.string()),
    messageId: v.string(),
    headers: many(v.object({ name: v.string(), value: v.string() })),
    attachments: many(ReceivedAttachment),
  },
  (mail: CaughtMailDetail) => {
    const { addressed, html, messageId, files = [] } = mail.message
    const lines = (mailboxes: readonly NamedAddress[] = []) => mailboxes.map(mailboxLine)
    return {
      ...shown(mail),
      html,
      alsoTo: lines(addressed?.alsoTo),
      cc: lines(addressed?.cc),
      bcc: lines(addressed?.bcc),
      replyTo: addressed?.replyTo,
      messageId,
      headers: mail.headers.map(([name, value]) => ({ name, value })),
      attachments: files,
    }
  },
)

export const Cleared = named('ClearedSandbox', v.object({ cleared: Count }))
