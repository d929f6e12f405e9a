import { EngineError } from '../../../core/errors.ts'
import type { ForeignEndpoint, OurApi } from '../../../core/ports/foreign-api.ts'
import { type Answer, typedApi } from '../kit/typed-api.ts'
import { objectIn } from '../kit/values-once.ts'
import { listOf, pageOf } from './lists.ts'
import { theirNameOf } from './webhook-events.ts'

type Delivery = Answer<'listDeliveries'>['data'][number]

/** `resend.webhooks.events`: the requests to an endpoint, each with the id that its `svix-id` has. */
export const webhookLog: readonly ForeignEndpoint[] = [
  {
    method: 'GET',
    path: '/webhooks/:id/events',
    methods: ['webhooks.events.list'],
    difference: 'the requests of the last 30 days; one that was made again is an entry of its own',
    answer({ params: { id = '' }, query }, ours) {
      const read = (asked: Readonly<Record<string, string>>) =>
        typedApi(ours).call('listDeliveries', { query: { ...asked, endpointId: id } })
      return pageOf(query, { read }, listed)
    },
  },
  {
    method: 'GET',
    path: '/webhooks/:id/events/:event',
    methods: ['webhooks.events.get'],
    async answer({ params }, ours) {
      const delivery = await deliveryOf(params, ours)
      const payload = objectIn(delivery.requestBody ?? '') ?? null
      const more = { next_attempt_at: delivery.dueAt ?? null, payload }
      return { status: 200, body: { object: 'webhook_event', ...listed(delivery), ...more } }
    },
  },
  {
    method: 'GET',
    path: '/webhooks/:id/events/:event/attempts',
    methods: ['webhooks.events.attempts.list'],
    difference: 'the last one alone, once it was answered',
    async answer({ params }, ours) {
      const { id, attempts, responseStatus, responseBody, createdAt, completedAt } = await deliveryOf(params, ours)
      if (responseStatus === undefined) return listOf([])
      const sent_at = completedAt ?? createdAt
      return listOf([
        { id: `${id}-${attempts}`, http_status_code: responseStatus, response: responseBody ?? '', sent_at },
      ])
    },
  },
  {
    method: 'POST',
    path: '/webhooks/:id/events/:event/replay',
    methods: ['webhooks.events.replay'],
    difference: 'as a request of its own, whose id is answered; 409 for one that still waits',
    async answer({ params }, ours) {
      const { id } = await deliveryOf(params, ours)
      const again = await typedApi(ours).call('replayDelivery', { path: { id } })
      return { status: 202, body: { object: 'webhook_event', id: again.id } }
    },
  },
]

/** A request to this endpoint. Throws EngineError `DELIVERY_NOT_FOUND`, also for one to another. */
async function deliveryOf({ id, event = '' }: Readonly<Record<string, string>>, ours: OurApi) {
  const delivery = await typedApi(ours).call('getDelivery', { path: { id: event } })
  if (delivery.endpointId === id) return delivery
  throw new EngineError('DELIVERY_NOT_FOUND', `There is no event ${event} of this webhook.`)
}

function listed({ id, eventName = '', createdAt, status, attempts }: Delivery) {
  const states = { SUCCEEDED: 'success', FAILED: 'failed', PENDING: attempts > 0 ? 'attempting' : 'pending' } as const
  return { id, type: theirNameOf(eventName) ?? eventName, created_at: createdAt, status: states[status] }
}
