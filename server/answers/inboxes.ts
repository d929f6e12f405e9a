import * as v from 'valibot'
import type { CountedInbox } from '../../core/inboxes/inboxes.ts'
import type { FoundThread } from '../../core/inboxes/search.ts'
import type { ReadThread, ThreadDetail, ThreadMessage } from '../../core/inboxes/threads.ts'
import { InboxDraft } from '../../core/ports/store/drafts.ts'
import { EMAIL_STATUSES } from '../../core/ports/store/emails.ts'
import { Inbox } from '../../core/ports/store/inboxes.ts'
import { Correspondent, Thread, type ThreadNote } from '../../core/ports/store/threads.ts'
import { named } from '../../core/values/described.ts'
import { mailboxesIn, type NamedAddress } from '../../core/values/mailbox.ts'
import { answer, answerOf } from './answer.ts'
import { ReceivedAttachment } from './emails.ts'
import { Count, Id, many, Time } from './parts.ts'

/** How many recipients of a message are shown in each field. */
const SHOWN = 100

export const InboxAnswer = answerOf(Inbox, { unread: Count }, ({ inbox, unread }: CountedInbox) => ({
  ...inbox,
  unread,
}))

export const ThreadAnswer = answerOf(Thread, { unread: v.boolean() }, ({ thread, unread }: ReadThread) => {
  return { ...thread, unread }
})

const Excerpt = named('ExcerptPart', v.object({ text: v.string(), found: v.boolean() }))

export const FoundThreadAnswer = answer(
  'FoundThread',
  { ...ThreadAnswer.schema.entries, messageId: Id, excerpt: v.nullable(many(Excerpt)) },
  ({ messageId, excerpt, ...read }: FoundThread) => ({
    ...ThreadAnswer.of(read),
    messageId,
    excerpt: excerpt ?? null,
  }),
)

/** A note of the team at a thread. */
export const ThreadNoteAnswer = answer(
  'ThreadNote',
  { id: Id, text: v.string(), authorId: v.nullable(v.string()), authorName: v.string(), createdAt: Time },
  (note: ThreadNote) => note,
)

/** A thread with what the team has noted at it. */
export const ThreadDetailAnswer = answer(
  'ThreadDetail',
  { ...ThreadAnswer.schema.entries, notes: many(ThreadNoteAnswer.schema) },
  ({ notes, ...read }: ThreadDetail) => ({ ...ThreadAnswer.of(read), notes: notes.map(ThreadNoteAnswer.of) }),
)

/** A message of a thread, with what was written in it. */
export const ThreadMessageAnswer = answer(
  'ThreadMessage',
  {
    id: Id,
    incoming: v.boolean(),
    at: Time,
    status: v.picklist(EMAIL_STATUSES),
    from: v.string(),
    fromName: v.optional(v.string()),
    to: many(Correspondent),
    cc: many(Correspondent),
    subject: v.nullable(v.string()),
    body: v.nullable(v.string()),
    text: v.nullable(v.string()),
    replyText: v.nullable(v.string()),
    replyHtml: v.nullable(v.string()),
    messageId: v.string(),
    attachments: many(ReceivedAttachment),
    spf: v.nullable(v.string()),
    dkim: v.nullable(v.string()),
    dmarc: v.nullable(v.string()),
  },
  (message: ThreadMessage) => {
    const { email, from, html, received, files = [], written, ...others } = message
    const { id, status } = email
    return {
      ...others,
      id,
      status,
      from: from.email,
      fromName: from.name,
      ...recipientsOf(message),
      body: html,
      replyText: html === undefined ? null : written.text,
      replyHtml: html === undefined ? null : written.html,
      attachments: received?.attachments ?? files,
      ...(received && { spf: received.spf, dkim: received.dkim, dmarc: received.dmarc }),
    }
  },
)

export const InboxDraftAnswer = answerOf(InboxDraft)

/** Whom a message names in its header. */
function recipientsOf({ email, addressed, received }: ThreadMessage) {
  const listed = (name: string) => [received?.headers[name] ?? []].flat().flatMap((field) => mailboxesIn(field, SHOWN))
  if (received) return { to: listed('to').slice(0, SHOWN), cc: listed('cc').slice(0, SHOWN) }
  const first = { email: email.to, name: email.toName }
  return { to: [first, ...(addressed?.alsoTo ?? [])].map(person), cc: (addressed?.cc ?? []).map(person) }
}

function person({ email, name }: { readonly email: string; readonly name?: string | undefined }): NamedAddress {
  return name ? { email, name } : { email }
}
