import * as v from 'valibot'
import { EngineError, invalidField } from '../../../core/errors.ts'
import type { ForeignEndpoint, ForeignRequest, OurApi } from '../../../core/ports/foreign-api.ts'
import { definedOnly } from '../../../core/values/defined-only.ts'
import { mailboxLine } from '../../../core/values/mailbox-line.ts'
import { parse } from '../../../core/values/parse.ts'
import { lineOf } from '../kit/addresses.ts'
import { type Answer, typedApi } from '../kit/typed-api.ts'
import { DIFFERS, DRAFT_FIELDS, sendAtOnce, Written, writtenBy } from './inbox-drafts.ts'
import { type Inbox, inboxOf, labelOf, shownLabel } from './inboxes.ts'
import { byPlace, pageOf } from './lists.ts'

const FOLDERS = ['inbox', 'archive', 'sent', 'spam', 'trash'] as const
const MOVED = ['inbox', 'archive', 'spam', 'trash'] as const

/** The folders that are read together. */
const TOGETHER: readonly string[] = ['inbox', 'archive', 'sent']
/** Questions of a search that our threads have no answer to. */
const REFUSED = ['cc', 'bcc', 'has_attachment']
const LABELS = v.object({ labels: v.pipe(v.array(v.string()), v.maxLength(50)) })
const ThreadChanges = v.object({ read: v.nullish(v.boolean()), folder: v.nullish(v.picklist(MOVED)) })
const Reply = v.object({ ...Written, reply_all: v.nullish(v.boolean()) })
const Forward = v.object({ ...Written, to: v.union([v.string(), v.array(v.string())]) })
const ROWS =
  '`to` is the inbox; `has_attachment` is false; the folders are `inbox`, `archive` and `sent` unless one is named; with all of `labels`; `after` and `before` look through the newest 1,000'

type Listed = Answer<'listThreads'>['data'][number]
type Message = Answer<'listThreadMessages'>['data'][number]

/** `resend.inboxes.threads`. */
export const inboxThreads: readonly ForeignEndpoint[] = [
  {
    method: 'GET',
    path: '/inboxes/:id/threads',
    methods: ['inboxes.threads.list'],
    difference: ROWS,
    answer: (request, ours) => threads(request, ours, (row) => row),
  },
  {
    method: 'GET',
    path: '/inboxes/:id/threads/search',
    methods: ['inboxes.threads.search'],
    difference: `in subjects, participants and the beginnings of the last messages; \`from\` and \`to\` are participants; \`cc\`, \`bcc\` and \`hasAttachment\` are refused; \`matched_email_id\` is the last message; ${ROWS}`,
    answer: (request, ours) =>
      threads(request, ours, (row, { lastMessageId }) => ({ ...row, matched_email_id: lastMessageId })),
  },
  {
    method: 'GET',
    path: '/inboxes/:id/threads/:thread',
    methods: ['inboxes.threads.get'],
    async answer({ params }, ours) {
      const { inbox, thread } = await threadOf(params, ours)
      return { status: 200, body: summary(inbox, thread) }
    },
  },
  {
    method: 'PATCH',
    path: '/inboxes/:id/threads/:thread',
    methods: ['inboxes.threads.update'],
    difference: '`read` is for the holder of the key alone',
    body: 'json',
    async answer({ params, body }, ours) {
      const { read, folder } = parse(ThreadChanges, body)
      const { inbox, thread } = await threadOf(params, ours)
      const change = definedOnly({ read: read ?? undefined, folder: folder ?? undefined })
      const changed = await typedApi(ours).call('changeThread', { path: { id: thread.id }, body: change })
      return { status: 200, body: summary(inbox, changed) }
    },
  },
  {
    method: 'DELETE',
    path: '/inboxes/:id/threads/:thread',
    methods: ['inboxes.threads.remove'],
    difference: 'it goes into the trash; a thread is deleted with its inbox',
    async answer({ params }, ours) {
      const { id } = (await threadOf(params, ours)).thread
      await typedApi(ours).call('changeThread', { path: { id }, body: { folder: 'trash' } })
      return { status: 200, body: { object: 'inbox_thread', id, deleted: true } }
    },
  },
  {
    method: 'POST',
    path: '/inboxes/:id/threads/:thread/labels',
    methods: ['inboxes.threads.labels.add'],
    body: 'json',
    async answer({ params, body }, ours) {
      const { labels } = parse(LABELS, body)
      const { inbox, thread } = await threadOf(params, ours)
      return labelled(inbox, thread.id, [...thread.labels, ...namesOf(inbox, labels)], ours)
    },
  },
  {
    method: 'PUT',
    path: '/inboxes/:id/threads/:thread/labels',
    methods: ['inboxes.threads.labels.set'],
    body: 'json',
    async answer({ params, body }, ours) {
      const { labels } = parse(LABELS, body)
      const { inbox, thread } = await threadOf(params, ours)
      return labelled(inbox, thread.id, namesOf(inbox, labels), ours)
    },
  },
  {
    method: 'DELETE',
    path: '/inboxes/:id/threads/:thread/labels/:label',
    methods: ['inboxes.threads.labels.remove'],
    async answer({ params }, ours) {
      const { inbox, thread } = await threadOf(params, ours)
      const { name } = labelOf(inbox, params.label)
      const left = thread.labels.filter((each) => each !== name)
      return labelled(inbox, thread.id, left, ours)
    },
  },
  {
    method: 'GET',
    path: '/inboxes/:id/threads/:thread/emails',
    methods: ['inboxes.threads.emails.list'],
    difference:
      '`read` is that of the thread; without `bcc` and `reply_to`; `after` and `before` look through the newest 1,000',
    async answer({ params, query }, ours) {
      const { thread } = await threadOf(params, ours)
      return pageOf(query, { read: messagesOf(thread.id, ours) }, (message) => shownMessage(message, thread))
    },
  },
  {
    method: 'GET',
    path: '/inboxes/:id/threads/:thread/emails/:email',
    methods: ['inboxes.threads.emails.get'],
    difference: '`read` is that of the thread; without `bcc` and `reply_to`',
    async answer({ params }, ours) {
      const { thread, message } = await messageOf(params, ours)
      return { status: 200, body: shownMessage(message, thread) }
    },
  },
  {
    method: 'POST',
    path: '/inboxes/:id/threads/:thread/emails/:email/reply',
    methods: ['inboxes.threads.emails.reply'],
    difference: `${DIFFERS}; the mail of a key for agents may have to wait for a member: then the answer is 409`,
    body: 'json',
    bodyLimit: 3 * 1024 * 1024,
    fields: DRAFT_FIELDS,
    async answer({ params, body }, ours) {
      const { reply_all: isToAll, ...written } = parse(Reply, body)
      if (!written.html && !written.text) throw invalidField('html', 'required', 'is required')
      const { inbox, message } = await messageOf(params, ours)
      const kind = isToAll ? 'reply-all' : 'reply'
      const mail = { kind, messageId: message.id, ...writtenBy(written) } as const
      return { status: 200, body: { id: await sendAtOnce(inbox, mail, ours) } }
    },
  },
  {
    method: 'POST',
    path: '/inboxes/:id/threads/:thread/emails/:email/forward',
    methods: ['inboxes.threads.emails.forward'],
    difference: `${DIFFERS}; the mail of a key for agents may have to wait for a member: then the answer is 409`,
    body: 'json',
    bodyLimit: 3 * 1024 * 1024,
    fields: DRAFT_FIELDS,
    async answer({ params, body }, ours) {
      const written = writtenBy(parse(Forward, body))
      const { inbox, message } = await messageOf(params, ours)
      const mail = { kind: 'forward', messageId: message.id, ...written } as const
      return { status: 200, body: { id: await sendAtOnce(inbox, mail, ours) } }
    },
  },
]

/** A page of threads, by the questions that ours and we ourselves can answer. */
async function threads(
  { params, query }: ForeignRequest,
  ours: OurApi,
  write: (row: object, thread: Listed) => object,
) {
  const inbox = await inboxOf(params.id, ours)
  const asked = askedIn(query, inbox)
  const path = { id: inbox.id }
  const { data: drafts } = await typedApi(ours).call('listDrafts', { path, query: { limit: '100' } })
  const written = new Set(drafts.map(({ threadId }) => threadId))
  const read = byPlace((page) => typedApi(ours).call('listThreads', { path, query: { ...page, ...asked.query } }))
  return pageOf(query, { read, keeps: asked.keeps }, (thread) => {
    const { id, subject, participants, messageCount, unread, lastMessageAt, folder } = thread
    const [first] = participants
    const row = {
      id,
      subject,
      from: first === undefined ? null : lineOf(first.email, first.name),
      to: [inbox.address],
      cc: [],
      bcc: [],
      labels: shownLabels(inbox, thread),
      email_count: messageCount,
      has_attachment: false,
      has_draft: written.has(id),
      read: !unread,
      received_at: lastMessageAt,
      folder,
    }
    return write(row, thread)
  })
}

function askedIn(query: URLSearchParams, inbox: Inbox) {
  const refused = REFUSED.find((name) => query.has(name))
  if (refused !== undefined) throw invalidField(refused, 'custom', 'cannot be asked for here')
  const folders = partsOf(query, 'folders')
  const isOne = folders.length === 1
  const strange = folders.find((name) => !FOLDERS.some((each) => each === name) || !(isOne || TOGETHER.includes(name)))
  if (strange !== undefined) {
    throw invalidField('folders', 'invalid_enum_value', 'must be one folder, or several of inbox, archive and sent')
  }
  const labels = namesOf(inbox, partsOf(query, 'labels'))
  const wanted = [query.get('query') ?? ''].map((words) => words.trim().toLowerCase())
  const people = [...partsOf(query, 'from'), ...partsOf(query, 'to')].map((each) => each.toLowerCase())
  const [from, to] = ['start_date', 'end_date'].map((name) => timeIn(query, name))
  const isRead = query.get('read')
  if (isRead !== null && isRead !== 'true' && isRead !== 'false') {
    throw invalidField('read', 'invalid_type', 'must be true or false')
  }
  return {
    query: definedOnly({
      folder: isOne ? folders[0] : 'all',
      label: labels[0],
      unread: isRead === 'false' ? 'true' : undefined,
      participant: people[0],
    }),
    keeps(thread: Listed): boolean {
      const at = Date.parse(thread.lastMessageAt)
      const names = thread.participants.map(({ email, name = '' }) => `${email} ${name}`.toLowerCase())
      const text = [thread.subject, thread.snippet, ...names].join('\n').toLowerCase()
      return (
        (folders.length === 0 || folders.includes(thread.folder)) &&
        labels.every((label) => thread.labels.includes(label)) &&
        (isRead !== 'true' || !thread.unread) &&
        wanted.every((words) => text.includes(words)) &&
        people.every((person) => names.some((name) => name.includes(person))) &&
        at >= (from ?? 0) &&
        at <= (to ?? Number.POSITIVE_INFINITY)
      )
    },
  }
}

/** The parts of a list with commas in the query. */
function partsOf(query: URLSearchParams, name: string): readonly string[] {
  return (query.get(name) ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .slice(0, 50)
}

function timeIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name)
  if (text === null) return undefined
  const at = Date.parse(text)
  if (!Number.isNaN(at)) return at
  throw invalidField(name, 'invalid_date', 'must be a time as ISO 8601 has it')
}

function messagesOf(id: string, ours: OurApi) {
  return byPlace((query) => typedApi(ours).call('listThreadMessages', { path: { id }, query }))
}

/** The thread of an inbox. Throws EngineError `THREAD_NOT_FOUND`, also for one of another inbox. */
async function threadOf(params: Readonly<Record<string, string>>, ours: OurApi) {
  const inbox = await inboxOf(params.id, ours)
  const thread = await typedApi(ours).call('getThread', { path: { id: params.thread ?? '' } })
  if (thread.inboxId === inbox.id) return { inbox, thread }
  throw new EngineError('THREAD_NOT_FOUND', `There is no thread ${params.thread} in this inbox.`)
}

/** A message of a thread, among the newest 1,000. Throws EngineError `EMAIL_NOT_FOUND`. */
async function messageOf(params: Readonly<Record<string, string>>, ours: OurApi) {
  const { inbox, thread } = await threadOf(params, ours)
  const read = messagesOf(thread.id, ours)
  for (let cursor: string | undefined, pages = 0; pages < 10; pages++) {
    const page = await read(definedOnly({ limit: '100', cursor }))
    const message = page.data.find(({ id }) => id === params.email)
    if (message !== undefined) return { inbox, thread, message }
    cursor = page.data.at(-1)?.id
    if (!page.hasMore || cursor === undefined) break
  }
  throw new EngineError('EMAIL_NOT_FOUND', `There is no e-mail ${params.email} in this thread.`)
}

function namesOf(inbox: Inbox, ids: readonly string[]): readonly string[] {
  return ids.map((id) => labelOf(inbox, id).name)
}

/** Gives a thread these labels, without those that the inbox has no longer. */
async function labelled(inbox: Inbox, id: string, names: readonly string[], ours: OurApi) {
  const known = inbox.labels.map(({ name }) => name)
  const labels = [...new Set(names)].filter((name) => known.includes(name))
  const changed = await typedApi(ours).call('changeThread', { path: { id }, body: { labels } })
  return { status: 200, body: { object: 'list', data: shownLabels(inbox, changed) } }
}

function shownLabels(inbox: Inbox, { labels }: Pick<Listed, 'labels'>) {
  return inbox.labels.filter(({ name }) => labels.includes(name)).map(shownLabel)
}

function summary(inbox: Inbox, thread: Listed) {
  const { id, subject, folder, unread } = thread
  return { object: 'inbox_thread', id, subject, folder, labels: shownLabels(inbox, thread), read: !unread }
}

function shownMessage(message: Message, { unread }: { readonly unread: boolean }) {
  const { id, incoming, from, fromName, to, cc, subject, messageId, body, text, attachments, at } = message
  return {
    id,
    direction: incoming ? 'inbound' : 'outbound',
    from: lineOf(from, fromName),
    to: to.map(mailboxLine),
    cc: cc.map(mailboxLine),
    bcc: [],
    reply_to: [],
    subject,
    message_id: messageId,
    html: body,
    text,
    attachments: attachments.map(({ filename, size }, place) => ({ id: `${id}-${place}`, filename, size })),
    read: !unread,
    received_at: at,
  }
}
