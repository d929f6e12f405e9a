import { EngineError } from '../../../core/errors.ts'
import type { ForeignAnswer, ForeignEndpoint, OurApi } from '../../../core/ports/foreign-api.ts'
import { addressesIn, lineOf } from '../kit/addresses.ts'
import { type Answer, typedApi } from '../kit/typed-api.ts'
import { listOf, pageOf } from './lists.ts'

type Received = Answer<'getEmail'>

const SENT_FILES =
  'as long as the text of the mail is kept; `content_disposition` is `attachment`, and `expires_at` null; the address is made anew with each request'

/** `resend.emails.receiving`. */
export const receiving: readonly ForeignEndpoint[] = [
  {
    method: 'GET',
    path: '/emails/receiving',
    methods: ['emails.receiving.list'],
    difference: 'with sender, recipient and subject; `emails.receiving.get` has the rest',
    answer({ query }, ours) {
      const read = (asked: Readonly<Record<string, string>>) =>
        typedApi(ours).call('listEmails', { query: { ...asked, status: 'RECEIVED' } })
      return pageOf(query, { read }, ({ id, to, from, fromName, subject, createdAt }) => ({
        id,
        to: [to],
        from: lineOf(from, fromName),
        subject: subject ?? '',
        created_at: createdAt,
        cc: null,
        bcc: null,
        reply_to: null,
        attachments: [],
      }))
    },
  },
  {
    method: 'GET',
    path: '/emails/receiving/:id',
    methods: ['emails.receiving.get'],
    difference: 'without `raw`, whose bytes `GET /emails/{id}/raw` has; of a header field that is repeated the last',
    async answer({ params: { id = '' } }, ours) {
      const email = await received(id, ours)
      const { to, recipients = [to], from, fromName, subject, createdAt, body, text, messageId } = email
      const named = (field: string) =>
        [email.headers?.[field] ?? []].flat().flatMap((line) => addressesIn(String(line)))
      const shown = {
        object: 'email',
        id,
        to: recipients,
        received_for: recipients,
        from: lineOf(from, fromName),
        subject: subject ?? '',
        created_at: createdAt,
        cc: named('cc'),
        bcc: [],
        reply_to: named('reply-to'),
        html: body,
        text,
        headers: Object.fromEntries(Object.entries(email.headers ?? {}).map(([name, value]) => [name, lastOf(value)])),
        message_id: messageId,
        raw: null,
        attachments: attachmentsOf(email).map(({ download_url, expires_at, ...each }) => each),
      }
      return { status: 200, body: shown }
    },
  },
  {
    method: 'GET',
    path: '/emails/receiving/:id/attachments',
    methods: ['emails.receiving.attachments.list'],
    difference: 'all at once; `expires_at` is null',
    async answer({ params: { id = '' } }, ours) {
      return listOf(attachmentsOf(await received(id, ours)))
    },
  },
  {
    method: 'GET',
    path: '/emails/receiving/:id/attachments/:attachment',
    methods: ['emails.receiving.attachments.get'],
    difference: '`expires_at` is null; the address is made anew with each request',
    async answer({ params: { id = '', attachment } }, ours) {
      return attachmentOf(await received(id, ours), attachment)
    },
  },
  {
    method: 'GET',
    path: '/emails/:id/attachments',
    methods: ['emails.attachments.list'],
    difference: `all at once; ${SENT_FILES}`,
    async answer({ params: { id = '' } }, ours) {
      return listOf(attachmentsOf(await typedApi(ours).call('getEmail', { path: { id } })))
    },
  },
  {
    method: 'GET',
    path: '/emails/:id/attachments/:attachment',
    methods: ['emails.attachments.get'],
    difference: SENT_FILES,
    async answer({ params: { id = '', attachment } }, ours) {
      return attachmentOf(await typedApi(ours).call('getEmail', { path: { id } }), attachment)
    },
  },
]

/** Throws EngineError `RESOURCE_NOT_FOUND`. */
function attachmentOf(email: Received, id: string | undefined): ForeignAnswer {
  const found = attachmentsOf(email).find((each) => each.id === id)
  if (found === undefined) throw new EngineError('RESOURCE_NOT_FOUND', 'There is no such attachment.')
  return { status: 200, body: { object: 'attachment', ...found } }
}

async function received(id: string, ours: OurApi): Promise<Received> {
  const email = await typedApi(ours).call('getEmail', { path: { id } })
  if (email.status === 'RECEIVED') return email
  throw new EngineError('EMAIL_NOT_FOUND', `There is no received e-mail ${id}.`)
}

/** Its files; the id of one is that of the mail with its place. */
function attachmentsOf({ id, attachments = [] }: Received) {
  return attachments.map(({ filename, contentType, contentId, size, url }, place) => ({
    id: `${id}-${place}`,
    filename,
    content_type: contentType,
    content_disposition: 'attachment',
    content_id: contentId ?? null,
    size,
    download_url: url,
    expires_at: null,
  }))
}

/** The value of a header field; of one that is repeated the last. */
function lastOf(value: unknown): unknown {
  return Array.isArray(value) ? value.at(-1) : value
}
