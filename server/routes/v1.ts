import type { Engine } from '../../core/engine.ts'
import type { Once } from '../../core/projects/idempotency.ts'
import type { ApiRequest } from '../api-request.ts'
import { MEGABYTE } from '../body.ts'
import { type KeyRoute, ok, type Reply, replayedHeader } from '../route.ts'

/** The public API, which applications call. */
export const publicRoutes: readonly KeyRoute[] = [
  {
    method: 'POST',
    path: '/v1/send',
    summary: 'Send a transactional e-mail',
    access: 'secret',
    body: 'json',
    bodyLimit: 50 * MEGABYTE,
    scope: 'send',
    errors: 'flat',
    answers: [200],
    async handle(engine, { caller, body, idempotencyKey }) {
      return onceOnWire(await engine.sending.send(caller.project, body, { idempotencyKey }))
    },
  },
  {
    method: 'POST',
    path: '/v1/track',
    summary: 'Record an event of a contact',
    access: 'public',
    body: 'json',
    answers: [200],
    handle: (engine, request) => track(engine, request),
  },
  {
    method: 'POST',
    path: '/v1/verify',
    summary: 'Check an e-mail address: form, lists of domains, DNS',
    access: 'secret',
    body: 'json',
    scope: 'read',
    errors: 'flat',
    answers: [200],
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

function onceOnWire({ answer, replayed }: Once<object>): Reply {
  return { ...ok({ success: true, data: answer }), ...replayedHeader(replayed) }
}
