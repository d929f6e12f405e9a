import * as v from 'valibot'
import { EngineError, invalidField } from '../../../core/errors.ts'
import type { ForeignEndpoint, ForeignRequest, OurApi } from '../../../core/ports/foreign-api.ts'
import type { Json } from '../../../core/values/json.ts'
import { parse } from '../../../core/values/parse.ts'
import { addressesIn, lineOf } from '../kit/addresses.ts'
import { nameBy, renamed } from '../kit/renamed.ts'
import { type Answer, typedApi } from '../kit/typed-api.ts'
import type { Fetcher } from './attachments.ts'
import { DIFFERENCE, FIELDS, readEmail } from './email-request.ts'
import { pageOf } from './lists.ts'
import { when } from './when.ts'

const MEGABYTE = 1024 * 1024
const MOST_IN_BATCH = 100
const Later = v.object({ scheduled_at: v.string() })

type Listed = Answer<'listEmails'>['data'][number]

/** `resend.emails` and `resend.batch`. */
export function emails(fetcher: Fetcher): readonly ForeignEndpoint[] {
  return [
    {
      method: 'POST',
      path: '/emails',
      methods: ['emails.send', 'emails.create'],
      difference: DIFFERENCE,
      body: 'json',
      bodyLimit: 50 * MEGABYTE,
      keepsKey: true,
      fields: FIELDS,
      async answer(request, ours) {
        const body = await readEmail(request.body, request, ours, fetcher)
        const { data } = await typedApi(ours).call('sendMail', { body, meaning: meaningOf(request) })
        return { status: 200, body: { id: data.emails[0]?.email } }
      },
    },
    {
      method: 'POST',
      path: '/emails/batch',
      methods: ['batch.send', 'batch.create'],
      difference: 'a mail of a batch may be scheduled, too',
      body: 'json',
      bodyLimit: 20 * MEGABYTE,
      keepsKey: true,
      fields: FIELDS,
      answer: sendBatch,
    },
    {
      method: 'GET',
      path: '/emails',
      methods: ['emails.list'],
      difference:
        'with the first recipient, and without `cc`, `bcc`, `reply_to` and `message_id`, all of which `emails.get` has; `before` looks through the newest 1,000',
      answer({ query, now }, ours) {
        const read = (asked: Readonly<Record<string, string>>) => typedApi(ours).call('listEmails', { query: asked })
        const keeps = ({ status }: Listed) => status !== 'RECEIVED'
        return pageOf(query, { read, keeps }, (email) => listed(email, now))
      },
    },
    {
      method: 'GET',
      path: '/emails/:id',
      methods: ['emails.get'],
      async answer({ params, now }, ours) {
        const email = await typedApi(ours).call('getEmail', { path: { id: params.id ?? '' } })
        const { body: html, text, messageId, alsoTo = [], cc, bcc, replyTo, tags } = email
        const shown = {
          object: 'email',
          ...listed(email, now),
          to: [toOf(email), ...alsoTo],
          cc: cc ?? [],
          bcc: bcc ?? [],
          reply_to: addressesIn(replyTo),
          message_id: messageId,
          html,
          text,
          tags: Object.entries(tags).map(([name, value]) => ({ name, value })),
        }
        return { status: 200, body: shown }
      },
    },
    {
      method: 'PATCH',
      path: '/emails/:id',
      methods: ['emails.update'],
      body: 'json',
      fields: FIELDS,
      async answer({ params: { id = '' }, body, now }, ours) {
        const scheduledFor = when(parse(Later, body).scheduled_at, now)
        await typedApi(ours).call('rescheduleEmail', { path: { id }, body: { scheduledFor } })
        return { status: 200, body: { object: 'email', id } }
      },
    },
    {
      method: 'POST',
      path: '/emails/:id/cancel',
      methods: ['emails.cancel'],
      async answer({ params: { id = '' } }, ours) {
        await typedApi(ours).call('cancelEmail', { path: { id } })
        return { status: 200, body: { object: 'email', id } }
      },
    },
  ]
}

/** All or none, unless the client asks for those that are right. */
async function sendBatch(request: ForeignRequest, ours: OurApi) {
  const { body, headers } = request
  if (!Array.isArray(body)) throw invalidField('', 'invalid_type', 'must be a list of e-mails')
  if (body.length === 0 || body.length > MOST_IN_BATCH) {
    throw invalidField('', 'too_big', `must have 1 to ${MOST_IN_BATCH} e-mails`)
  }
  const isPermissive = headers['x-batch-validation'] === 'permissive'
  const errors: { index: number; message: string }[] = []
  const messages = []
  const places: number[] = []
  for (const [index, each] of (body as readonly Json[]).entries()) {
    try {
      messages.push(await readOfBatch(each, request, ours))
      places.push(index)
    } catch (error) {
      if (!EngineError.is(error)) throw error
      if (!isPermissive) throw renamed(error, (_, field) => nameInList(index, field))
      errors.push({ index, message: messageOf(error) })
    }
  }
  if (messages.length === 0) return { status: 200, body: { data: [], errors } }
  const asked = { body: { messages, allOrNone: !isPermissive }, meaning: meaningOf(request) }
  const sent = await typedApi(ours)
    .call('sendBatch', asked)
    .catch((error: unknown) => {
      throw renamed(error, nameInList)
    })
  const data: { id: string | undefined }[] = []
  for (const [i, result] of sent.data.results.entries()) {
    if (result.success) data.push({ id: result.data.emails[0]?.email })
    else
      errors.push({ index: places[i] ?? i, message: messageOf({ ...result.error, fields: result.error.errors ?? [] }) })
  }
  errors.sort((a, b) => a.index - b.index)
  return { status: 200, body: { data, ...(isPermissive ? { errors } : {}) } }
}

async function readOfBatch(each: Json, request: ForeignRequest, ours: OurApi) {
  const email = await readEmail(each, request, ours, undefined)
  if ('attachments' in email) throw invalidField('attachments', 'custom', 'cannot be used in a batch')
  return email
}

/** The field of an e-mail of a batch as Resend names it: `3.html`. */
function nameInList(place: number, field: string): string {
  return `${place}.${nameBy(FIELDS, field)}`
}

function messageOf(error: {
  readonly message: string
  readonly fields: readonly { field: string; message: string }[]
}) {
  const fields = error.fields.map(({ field, message }) => `\`${nameBy(FIELDS, field)}\` ${message}`)
  return fields.length === 0 ? error.message : fields.join('; ')
}

/** The input that a repeat under an `Idempotency-Key` is compared by: relative times would differ. */
function meaningOf({ body, headers }: ForeignRequest): Json {
  return { body: (body ?? null) as Json, validation: headers['x-batch-validation'] ?? null }
}

function toOf({ to, toName }: Pick<Listed, 'to' | 'toName'>): string {
  return lineOf(to, toName)
}

/** A mail as lists show it. */
function listed(email: Listed, now: Date) {
  const { id, from, fromName, subject, createdAt, dueAt, status } = email
  const isLater = status === 'QUEUED' && dueAt !== undefined && new Date(dueAt) > now
  return {
    id,
    to: [toOf(email)],
    from: lineOf(from, fromName),
    subject: subject ?? '',
    created_at: createdAt,
    scheduled_at: isLater ? dueAt : null,
    last_event: eventOf(email, isLater),
  }
}

/** Resend's names of our states. */
const EVENTS = {
  QUEUED: 'queued',
  SENDING: 'queued',
  SENT: 'sent',
  DELIVERED: 'delivered',
  OPENED: 'opened',
  CLICKED: 'clicked',
  BOUNCED: 'bounced',
  COMPLAINED: 'complained',
  FAILED: 'failed',
  SKIPPED: 'suppressed',
  RECEIVED: 'received',
} as const

function eventOf({ status, attempts, skipReason = '' }: Listed, isLater: boolean): string {
  if (isLater) return attempts > 0 ? 'delivery_delayed' : 'scheduled'
  return status === 'SKIPPED' && /cancelled$/.test(skipReason) ? 'canceled' : EVENTS[status]
}
