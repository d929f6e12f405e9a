import { EngineError } from '../../core/errors.ts'
import { HookReceipt } from '../answers/health.ts'
import { MEGABYTE } from '../http/body.ts'
import { type OpenRoute, ok } from '../http/route.ts'

/** Where mail providers report on mail that was sent. */
export const hookRoutes: readonly OpenRoute[] = [
  {
    method: 'POST',
    path: '/hooks/:name',
    operation: 'receiveHook',
    summary: "Receive a provider's events",
    description: "What became of mail that was sent. The request must carry the provider's own signature or secret.",
    access: 'open',
    proves: true,
    quiet: true,
    gives: { 200: [HookReceipt, '*/*'] },
    fails: [401, 403, 406, 413],
    async handle({ feedback: { hooks }, now }, request) {
      const name = request.param('name')
      if (!hooks.has(name)) throw new EngineError('RESOURCE_NOT_FOUND', 'There is nothing at this path.')
      const { method, headers, query } = request
      const body = await request.bytes(MEGABYTE)
      const receipt = await hooks.receive(name, { method, headers, query, body, receivedAt: now() })
      const { reports, changed, reply } = receipt
      if (reply === undefined) return ok({ success: true, data: { reports, changed } })
      return { status: 200, raw: reply.body, headers: { 'content-type': `${reply.contentType}; charset=utf-8` } }
    },
  },
]
