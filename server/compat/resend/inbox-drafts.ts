import * as v from 'valibot'
import { EngineError, invalidField } from '../../../core/errors.ts'
import type { ForeignEndpoint, OurApi } from '../../../core/ports/foreign-api.ts'
import { definedOnly } from '../../../core/values/defined-only.ts'
import { mailboxLine } from '../../../core/values/mailbox-line.ts'
import { parse } from '../../../core/values/parse.ts'
import { type Answer, type BodyOf, typedApi } from '../kit/typed-api.ts'
import { type Inbox, inboxOf } from './inboxes.ts'
import { pageOf } from './lists.ts'

const People = v.nullish(v.union([v.string(), v.array(v.string())]))
const Files = v.nullish(v.array(v.unknown()))

/** The parts of a mail that is written in an inbox. */
export const Written = {
  to: People,
  cc: People,
  bcc: People,
  subject: v.nullish(v.string()),
  html: v.nullish(v.string()),
  text: v.nullish(v.string()),
  attachments: Files,
  headers: v.nullish(v.record(v.string(), v.string())),
}
const NewDraft = v.object({ ...Written, thread_id: v.nullish(v.string()), reply_to_email_id: v.nullish(v.string()) })
const DraftChanges = v.object(Written)

/** Resend's names of our fields of a draft. */
export const DRAFT_FIELDS = { body: 'html', messageId: 'reply_to_email_id' }

/** How mails of inboxes differ. */
export const DIFFERS = 'without files and header fields of its own; a `text` becomes HTML'

type Draft = Answer<'getDraft'>

/** `resend.inboxes.drafts`. */
export const inboxDrafts: readonly ForeignEndpoint[] = [
  {
    method: 'GET',
    path: '/inboxes/:id/drafts',
    methods: ['inboxes.drafts.list'],
    difference: '`before` looks through the newest 1,000',
    async answer({ params, query }, ours) {
      const { id } = await inboxOf(params.id, ours)
      const read = (asked: Readonly<Record<string, string>>) =>
        typedApi(ours).call('listDrafts', { path: { id }, query: asked })
      return pageOf(query, { read }, (draft) => ({ ...shown(draft), snippet: snippetOf(draft.body) }))
    },
  },
  {
    method: 'POST',
    path: '/inboxes/:id/drafts',
    methods: ['inboxes.drafts.create'],
    difference: DIFFERS,
    body: 'json',
    bodyLimit: 3 * 1024 * 1024,
    fields: DRAFT_FIELDS,
    async answer({ params, body }, ours) {
      const { reply_to_email_id: messageId, thread_id: threadId, ...written } = parse(NewDraft, body)
      if (threadId != null && messageId == null) {
        throw invalidField('reply_to_email_id', 'required', 'is required together with `thread_id`')
      }
      const inbox = await inboxOf(params.id, ours)
      const answered = messageId == null ? {} : { kind: 'reply' as const, messageId }
      const draft = await createDraft(inbox, { ...answered, ...writtenBy(written) }, ours)
      return { status: 201, body: { object: 'inbox_draft', id: draft.id } }
    },
  },
  {
    method: 'GET',
    path: '/inboxes/:id/drafts/:draft',
    methods: ['inboxes.drafts.get'],
    difference: '`text` is null: a draft has HTML',
    async answer({ params }, ours) {
      const { createdAt, body, emailId, ...draft } = await draftOf(params, ours)
      const more = { html: body, text: null, email_id: emailId, created_at: createdAt }
      return { status: 200, body: { object: 'inbox_draft', ...shown(draft), ...more } }
    },
  },
  {
    method: 'PATCH',
    path: '/inboxes/:id/drafts/:draft',
    methods: ['inboxes.drafts.update'],
    difference: DIFFERS,
    body: 'json',
    bodyLimit: 3 * 1024 * 1024,
    fields: DRAFT_FIELDS,
    async answer({ params, body }, ours) {
      const change = writtenBy(parse(DraftChanges, body))
      const { id } = await draftOf(params, ours)
      await typedApi(ours).call('changeDraft', { path: { id }, body: change })
      return { status: 200, body: { object: 'inbox_draft', id } }
    },
  },
  {
    method: 'DELETE',
    path: '/inboxes/:id/drafts/:draft',
    methods: ['inboxes.drafts.remove'],
    async answer({ params }, ours) {
      const { id } = await draftOf(params, ours)
      await typedApi(ours).call('deleteDraft', { path: { id } })
      return { status: 200, body: { object: 'inbox_draft', id, deleted: true } }
    },
  },
  {
    method: 'POST',
    path: '/inboxes/:id/drafts/:draft/send',
    methods: ['inboxes.drafts.send'],
    difference:
      'without header fields of its own; the mail of a key for agents may have to wait for a member: then the answer is 409',
    body: 'json-or-nothing',
    async answer({ params, body }, ours) {
      writtenBy(parse(v.object({ headers: Written.headers }), body ?? {}))
      const { id } = await draftOf(params, ours)
      return { status: 200, body: { id: await send(id, ours) } }
    },
  },
]

/** Begins a draft in an inbox. */
function createDraft({ id }: Inbox, body: BodyOf<'createDraft'>, ours: OurApi): Promise<Draft> {
  return typedApi(ours).call('createDraft', { path: { id }, body })
}

/** Writes a mail and sends it at once; a draft that could not be sent is thrown away. Answers the id of the mail. */
export async function sendAtOnce(inbox: Inbox, body: BodyOf<'createDraft'>, ours: OurApi): Promise<string> {
  const { id } = await createDraft(inbox, body, ours)
  try {
    return await send(id, ours)
  } catch (error) {
    const { status } = await typedApi(ours).call('getDraft', { path: { id } })
    if (status === 'open') await typedApi(ours).call('deleteDraft', { path: { id } })
    throw error
  }
}

async function send(id: string, ours: OurApi): Promise<string> {
  const { emailId } = await typedApi(ours).call('sendDraft', { path: { id }, body: {} })
  if (emailId !== null) return emailId
  throw new EngineError('CONFLICT', `The draft ${id} waits until a member of the project approves it.`)
}

/** A mail as it is written in our drafts; null and an empty list take a field away. Throws EngineError `VALIDATION_ERROR`. */
export function writtenBy(
  given: {
    readonly [Name in keyof typeof Written]?: v.InferOutput<(typeof Written)[Name]>
  },
): BodyOf<'changeDraft'> {
  const { html, text, subject, attachments, headers } = given
  if (attachments && attachments.length > 0) {
    throw invalidField('attachments', 'custom', 'cannot be set: mails of inboxes have no files of their own')
  }
  if (headers && Object.keys(headers).length > 0) {
    throw invalidField('headers', 'custom', 'cannot be set: mails of inboxes have no header fields of their own')
  }
  const people = (value: v.InferOutput<typeof People>) => (value === undefined ? undefined : [value ?? []].flat())
  return definedOnly({
    to: people(given.to),
    cc: people(given.cc),
    bcc: people(given.bcc),
    subject: subject === null ? '' : subject,
    body: html ?? (text === undefined ? (html ?? undefined) : htmlOf(text ?? '')),
  })
}

/** The HTML of a plain text, with its lines as they are. */
function htmlOf(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return escaped === '' ? '' : `<div style="white-space:pre-wrap">${escaped}</div>`
}

function snippetOf(html: string): string {
  return html
    .replace(/<[^<>]{0,2000}>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 200)
}

/** The draft of an inbox. Throws EngineError `DRAFT_NOT_FOUND`, also for one of another inbox. */
async function draftOf(params: Readonly<Record<string, string>>, ours: OurApi): Promise<Draft> {
  const { id: inboxId } = await inboxOf(params.id, ours)
  const draft = await typedApi(ours).call('getDraft', { path: { id: params.draft ?? '' } })
  if (draft.inboxId === inboxId) return draft
  throw new EngineError('DRAFT_NOT_FOUND', `There is no draft ${params.draft} in this inbox.`)
}

function shown(
  draft: Pick<Draft, 'id' | 'kind' | 'to' | 'cc' | 'bcc' | 'subject' | 'threadId' | 'messageId' | 'updatedAt'>,
) {
  const { id, kind, to, cc, bcc, subject, threadId, messageId, updatedAt } = draft
  const isReply = kind === 'reply' || kind === 'reply-all'
  return {
    id,
    type: isReply ? 'reply' : 'standalone',
    to: to.map(mailboxLine),
    cc: cc.map(mailboxLine),
    bcc: bcc.map(mailboxLine),
    subject,
    thread_id: threadId,
    reply_to_email_id: isReply ? messageId : null,
    updated_at: updatedAt,
    attachments: [],
  }
}
