import * as v from 'valibot'
import { RefusalWhyRecord } from '../../core/bounces/refusal-why.ts'
import { APART } from '../../core/mail/email.ts'
import { EMAIL_STATUSES, SOURCE_TYPES } from '../../core/ports/store/emails.ts'
import { named } from '../../core/values/described.ts'
import { EventOnWire } from './events.ts'
import { AdviceCodes, Count, Fields, Id, many, Time, Url } from './parts.ts'

const email = {
  id: Id,
  contactId: v.nullable(Id),
  to: v.string(),
  toName: v.optional(v.string()),
  status: v.picklist(EMAIL_STATUSES),
  sourceType: v.picklist(SOURCE_TYPES),
  about: v.optional(v.picklist(APART)),
  templateId: v.nullable(Id),
  campaignId: v.nullable(Id),
  tags: v.record(v.string(), v.string()),
  attempts: Count,
  transport: v.optional(v.string()),
  toFolder: v.optional(v.boolean()),
  providerId: v.optional(v.string()),
  error: v.optional(v.string()),
  skipReason: v.optional(v.string()),
  opens: Count,
  clicks: Count,
  errorMeaning: v.optional(v.nullable(v.string())),
  errorMeaningCodes: v.optional(AdviceCodes),
  createdAt: Time,
  updatedAt: Time,
  dueAt: v.optional(Time),
  expiresAt: v.optional(Time),
  sentAt: v.optional(Time),
  deliveredAt: v.optional(Time),
  openedAt: v.optional(Time),
  clickedAt: v.optional(Time),
  bouncedAt: v.optional(Time),
  complainedAt: v.optional(Time),
  humanOpenedAt: v.optional(Time),
  humanClickedAt: v.optional(Time),
  repliedAt: v.optional(Time),
  inReplyTo: v.optional(Id),
  redactedAt: v.optional(Time),
}

/** A mail in the ledger. */
export const EmailRecord = named('Email', v.object(email))

/** The same in a list, which shows what it is about. */
export const ListedEmailRecord = named(
  'ListedEmail',
  v.object({
    ...email,
    from: v.nullable(v.string()),
    fromName: v.optional(v.string()),
    subject: v.nullable(v.string()),
  }),
)

const Attachment = named(
  'ReceivedAttachment',
  v.object({ filename: v.string(), contentType: v.string(), size: Count, url: v.nullable(Url) }),
)

/** A transport the mail was handed to, and what it answered. */
const Try = named(
  'MailTry',
  v.object({
    at: Time,
    transport: v.string(),
    outcome: v.picklist(['accepted', 'refused', 'unknown']),
    reason: v.optional(v.string()),
    host: v.optional(v.string()),
    address: v.optional(v.string()),
    tls: v.optional(v.string()),
    answers: many(v.object({ command: v.string(), code: v.optional(Count), text: v.string() })),
  }),
)

/** The header of a mail, a field for each line. */
export const EmailHeaders = named(
  'EmailHeaders',
  v.object({ headers: many(v.object({ name: v.string(), value: v.string() })) }),
)

/** Why the bounce of a mail was judged as it was. */
const Why = named(
  'RefusalWhy',
  v.object({ ...RefusalWhyRecord.entries, words: v.optional(v.string()), text: v.string() }),
)

/** A mail with its text and its events; the rest is there for received mail. */
export const EmailDetailRecord = named(
  'EmailDetail',
  v.object({
    ...email,
    from: v.string(),
    fromName: v.optional(v.string()),
    subject: v.nullable(v.string()),
    body: v.nullable(v.string()),
    text: v.nullable(v.string()),
    messageId: v.string(),
    alsoTo: v.optional(many(v.string())),
    cc: v.optional(many(v.string())),
    bcc: v.optional(many(v.string())),
    replyTo: v.optional(v.string()),
    recipients: v.optional(many(v.string())),
    headers: v.optional(Fields),
    attachments: v.optional(many(Attachment)),
    spf: v.optional(v.nullable(v.string())),
    dkim: v.optional(v.nullable(v.string())),
    dmarc: v.optional(v.nullable(v.string())),
    why: v.nullable(Why),
    tries: many(Try),
    events: many(EventOnWire),
  }),
)
