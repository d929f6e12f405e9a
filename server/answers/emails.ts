import * as v from 'valibot'
import { refusalMeaning } from '../../core/bounces/refusal-meaning.ts'
import { RefusalWhyRecord, readWhy } from '../../core/bounces/refusal-why.ts'
import { ROUTE_WAYS } from '../../core/installation/routes.ts'
import { APART, apartAs } from '../../core/mail/email.ts'
import type { Addressed, EmailDetail, ListedEmail } from '../../core/mails/mails.ts'
import { EMAIL_STATUSES, type Email, type MailTry, SOURCE_TYPES } from '../../core/ports/store/emails.ts'
import { MAIL_CLASSES } from '../../core/settings/route-settings.ts'
import { codesOf, textOf } from '../../core/values/advice.ts'
import { named } from '../../core/values/described.ts'
import { EVENTS } from '../../core/values/event-names.ts'
import type { NamedAddress } from '../../core/values/mailbox.ts'
import { mailboxLine } from '../../core/values/mailbox-line.ts'
import { answer } from './answer.ts'
import { EventAnswer } from './events.ts'
import { AdviceCodes, Count, Fields, Id, many, Time, UrlOrPath } from './parts.ts'
import { EXPLAINED, NotFitting } from './routes.ts'

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
  // while it waits for its next try
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

function shownEmail<Row extends Email>(row: Row) {
  const about = apartAs(row)
  const waits = row.status === 'QUEUED'
  return {
    ...row,
    // the store marks mails about accounts by the form of a test
    sourceType: about === 'account' ? ('TRANSACTIONAL' as const) : row.sourceType,
    about,
    ...(row.error === undefined ? {} : meaningOf(row.error, waits || row.status === 'SENDING')),
    dueAt: waits ? row.dueAt : undefined,
  }
}

function meaningOf(error: string, isWaiting: boolean) {
  const meaning = refusalMeaning(error, isWaiting)
  return { errorMeaning: textOf(meaning) || null, errorMeaningCodes: codesOf(meaning) }
}

/** A mail in the ledger. */
export const EmailAnswer = answer('Email', email, shownEmail)

/** The same in a list, which shows what it is about. */
export const ListedEmailAnswer = answer(
  'ListedEmail',
  {
    ...email,
    from: v.nullable(v.string()),
    fromName: v.optional(v.string()),
    subject: v.nullable(v.string()),
  },
  shownEmail<ListedEmail>,
)

export const ReceivedAttachment = named(
  'ReceivedAttachment',
  // without a public address, the URL is a path of this server
  v.object({
    filename: v.string(),
    contentType: v.string(),
    contentId: v.optional(v.string()),
    size: Count,
    url: UrlOrPath,
  }),
)

/** A transport the mail was handed to, and what it answered. */
const TryAnswer = answer(
  'MailTry',
  {
    at: Time,
    transport: v.string(),
    outcome: v.picklist(['accepted', 'refused', 'unknown']),
    reason: v.optional(v.string()),
    host: v.optional(v.string()),
    address: v.optional(v.string()),
    tls: v.optional(v.string()),
    answers: many(v.object({ command: v.string(), code: v.optional(Count), text: v.string() })),
  },
  ({ conversation, ...tried }: MailTry) => ({ ...tried, ...conversation, answers: conversation?.answers ?? [] }),
)

/** The header of a mail, a field for each line. */
export const EmailHeaders = named(
  'EmailHeaders',
  v.object({ headers: many(v.object({ name: v.string(), value: v.string() })) }),
)

/** Where a mail goes, and why. */
export const EmailRoute = named(
  'EmailRoute',
  v.object({
    way: v.picklist(ROUTE_WAYS),
    class: v.picklist(MAIL_CLASSES),
    tried: many(v.string()),
    ...EXPLAINED,
    transports: v.optional(many(v.string())),
    notFitting: v.optional(many(NotFitting)),
    more: v.optional(Count),
  }),
)

/** Why the bounce of a mail was judged as it was. */
const Why = named(
  'RefusalWhy',
  v.object({ ...RefusalWhyRecord.entries, words: v.optional(v.string()), text: v.string() }),
)

/** A mail with its text (the HTML as `body`) and its events; the rest is there for received mail. */
export const EmailDetailAnswer = answer(
  'EmailDetail',
  {
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
    attachments: v.optional(many(ReceivedAttachment)),
    spf: v.optional(v.nullable(v.string())),
    dkim: v.optional(v.nullable(v.string())),
    dmarc: v.optional(v.nullable(v.string())),
    why: v.nullable(Why),
    tries: many(TryAnswer.schema),
    events: many(EventAnswer.schema),
  },
  ({ email, from, html, addressed, events, tries, received, files, ...written }: EmailDetail) => ({
    errorMeaning: null,
    ...shownEmail(email),
    from: from.email,
    fromName: from.name,
    body: html,
    ...written,
    ...(addressed && shownAddresses(addressed)),
    attachments: files,
    ...received,
    why: readWhy(events.findLast(({ name }) => name === EVENTS.bounce)?.data.why),
    tries: tries.map(TryAnswer.of),
    events: events.map(EventAnswer.of),
  }),
)

function shownAddresses({ alsoTo, cc, bcc, replyTo }: Addressed) {
  const lines = (mailboxes: readonly NamedAddress[]) => mailboxes.map(mailboxLine)
  return { alsoTo: lines(alsoTo), cc: lines(cc), bcc: lines(bcc), replyTo }
}
