import type { Engine } from '../../core/engine.ts'
import { TrackBody } from '../../core/events/track-event.ts'
import { type BatchResult, MAX_MESSAGES, SendBatchBody } from '../../core/mails/send-batch.ts'
import { SendBody } from '../../core/mails/send-request.ts'
import type { Once } from '../../core/projects/idempotency.ts'
import { SendMessageBody } from '../../core/submission/whole-message.ts'
import { isJsonObject, type Untrusted } from '../../core/values/json.ts'
import { VerifyBody } from '../../core/verification/verification.ts'
import { TrackedEvent } from '../answers/events.ts'
import { SentBatch, SentMails, VerifiedAddress } from '../answers/v1.ts'
import { MEGABYTE } from '../http/body.ts'
import { statusOf } from '../http/errors.ts'
import type { ApiRequest } from '../http/requests.ts'
import { type KeyRoute, ok, type Reply, replayedHeader } from '../http/route.ts'
import { EXAMPLE_IDS } from '../openapi/example-ids.ts'

/** The public API, which applications call. */
export const publicRoutes: readonly KeyRoute[] = [
  {
    method: 'POST',
    path: '/v1/send',
    operation: 'sendMail',
    audit: 'never',
    summary: 'Send a transactional mail',
    description:
      'Each recipient gets a separate mail, and unknown addresses become contacts. The mails are stored before the response and sent in the background; `GET /emails/{id}` shows what became of each.',
    access: 'secret',
    body: 'json',
    bodyLimit: 50 * MEGABYTE,
    area: 'send',
    errors: 'flat',
    takes: { body: SendBody },
    gives: { 200: SentMails },
    idempotent: 'room',
    examples: [
      {
        summary: 'One mail, with a subject and a body',
        body: {
          to: 'ada@example.org',
          from: { name: 'Example', email: 'hello@example.com' },
          subject: 'Your order {{ order }}',
          body: '<p>It is on its way, {{ name ?? friend }}.</p>',
          data: { name: 'Ada', order: { value: 'A-17', persistent: false } },
        },
      },
      {
        summary: 'Several mails from a template, later',
        body: {
          to: ['ada@example.org', { name: 'Grace', email: 'grace@example.org' }],
          template: EXAMPLE_IDS.template,
          from: 'hello@example.com',
          reply: 'help@example.com',
          scheduledFor: '2026-06-15T09:00:00Z',
          attachments: [{ filename: 'a.txt', content: 'aGVsbG8=', contentType: 'text/plain' }],
          tags: { kind: 'welcome' },
        },
      },
    ],
    async handle(engine, { caller, body, idempotencyKey, meaning }) {
      return onceOnWire(await engine.sending.send(caller.project, body, { idempotencyKey, meaning }))
    },
  },
  {
    method: 'POST',
    path: '/v1/send/batch',
    operation: 'sendBatch',
    audit: 'never',
    summary: 'Send up to 500 transactional mails in one commit',
    description:
      'Each message is as in `POST /v1/send`, and the results are in the same order. A refused message does not affect the others, unless `allOrNone` is `true`; those that are accepted are stored together, all or none.',
    access: 'secret',
    body: 'json',
    bodyLimit: 20 * MEGABYTE,
    area: 'send',
    countsAs: ({ body }) => messagesOf(body),
    takes: { body: SendBatchBody },
    gives: { 200: SentBatch },
    idempotent: 'room',
    examples: [
      {
        body: {
          messages: [
            { to: 'ada@example.org', from: 'hello@example.com', subject: 'Hi Ada', body: '<p>Your order A-17</p>' },
            { to: 'grace@example.org', from: 'hello@example.com', subject: 'Hi Grace', body: '<p>Your order A-18</p>' },
          ],
        },
      },
    ],
    async handle(engine, { caller, body, idempotencyKey, meaning }) {
      const given = { idempotencyKey, meaning }
      const { answer, replayed } = await engine.sending.sendBatch(caller.project, body, given)
      return onceOnWire({ answer: { results: answer.results.map(batchResultOnWire) }, replayed })
    },
  },
  {
    method: 'POST',
    path: '/v1/send/message',
    operation: 'sendMessage',
    audit: 'never',
    summary: 'Send a whole message',
    description:
      'For programs that write messages themselves: each recipient of the envelope gets it as it is, with a record of their own. A message with a Message-ID goes once to the same recipients within 24 hours.',
    access: 'secret',
    body: 'json',
    bodyLimit: 50 * MEGABYTE,
    area: 'send',
    takes: { body: SendMessageBody },
    gives: { 200: SentMails },
    idempotent: 'room',
    examples: [
      {
        body: {
          to: ['ada@example.org'],
          message:
            'RnJvbTogaGVsbG9AZXhhbXBsZS5jb20NClRvOiBhZGFAZXhhbXBsZS5vcmcNClN1YmplY3Q6IEhpDQpNSU1FLVZlcnNpb246IDEuMA0KQ29udGVudC1UeXBlOiB0ZXh0L3BsYWluOyBjaGFyc2V0PXV0Zi04DQpDb250ZW50LVRyYW5zZmVyLUVuY29kaW5nOiA3Yml0DQoNCkhlbGxvDQo=',
        },
      },
    ],
    async handle(engine, { caller, body, idempotencyKey }) {
      return onceOnWire(await engine.submissions.send(caller.project, body, { idempotencyKey }))
    },
  },
  {
    method: 'POST',
    path: '/v1/track',
    operation: 'trackEvent',
    audit: 'never',
    summary: 'Record an event for a contact',
    description:
      'It starts workflows, continues executions that are waiting for it, and counts in segments. An unknown address becomes a contact. A public key may call this, from any web page.',
    access: 'public',
    body: 'json',
    takes: { body: TrackBody },
    gives: { 200: TrackedEvent },
    idempotent: 'room',
    examples: [{ body: { email: 'ada@example.org', event: 'signed-up', subscribed: true, data: { plan: 'pro' } } }],
    handle: (engine, request) => track(engine, request),
  },
  {
    method: 'POST',
    path: '/v1/verify',
    operation: 'verifyAddress',
    audit: 'never',
    idempotent: 'ignored',
    summary: 'Check an e-mail address',
    description:
      'Checks its syntax, lists of disposable and personal domains, and the DNS. No mail is sent. An address with invalid syntax is refused with 400.',
    access: 'secret',
    body: 'json',
    area: 'read',
    errors: 'flat',
    takes: { body: VerifyBody },
    gives: { 200: VerifiedAddress },
    examples: [{ body: { email: 'ada@example.org' } }],
    async handle(engine, { caller, body }) {
      return ok({ success: true, data: await engine.verification.verify(caller.project, body) })
    },
  },
]

/** Records an event. `POST /events/track` also accepts the contact's id. */
export async function track(engine: Engine, request: ApiRequest, byContactId = false): Promise<Reply> {
  const { caller, body, idempotencyKey } = request
  const callerKind = caller.kind === 'public' ? 'public' : 'secret'
  return onceOnWire(await engine.events.track(caller.project, body, { callerKind, idempotencyKey, byContactId }))
}

/** As how many requests a batch counts: a refused one that is too large as one. */
function messagesOf(body: Untrusted): number {
  const count = isJsonObject(body) && Array.isArray(body.messages) ? body.messages.length : 1
  return count <= MAX_MESSAGES ? count : 1
}

function onceOnWire({ answer, replayed }: Once<object>): Reply {
  return { ...ok({ success: true, data: answer }), ...replayedHeader(replayed) }
}

/** The error of a message as in the body of an error. */
function batchResultOnWire(result: BatchResult) {
  if (result.success) return result
  const { code, message, ...more } = result.error
  return { success: false, error: { code, message, statusCode: statusOf(code), ...more } }
}
