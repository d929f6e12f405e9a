import * as v from 'valibot'
import { DELIVERY_STATUSES, WEBHOOK_METHODS, type WebhookDelivery } from '../../core/ports/store/webhook-deliveries.ts'
import { WebhookEndpoint } from '../../core/ports/store/webhook-endpoints.ts'
import { named } from '../../core/values/described.ts'
import type { DeliveryDetail } from '../../core/webhooks/delivery-log.ts'
import { hiddenHeaders, hiddenUrl } from '../../core/webhooks/hidden-secrets.ts'
import { answer, answerOf } from './answer.ts'
import { Address, Count, Fields, Id, Time } from './parts.ts'

/** An endpoint, to a caller who sees the secrets in its URL or not. */
export const WebhookAnswer = answerOf(WebhookEndpoint, {}, (endpoint: WebhookEndpoint, seesSecrets: boolean) => {
  return seesSecrets ? endpoint : { ...endpoint, url: hiddenUrl(endpoint.url) }
})

export const WebhookSecret = named('WebhookSecret', v.object({ secret: v.string() }))

const delivery = {
  id: Id,
  endpointId: v.optional(Id),
  workflowId: v.optional(Id),
  executionId: v.optional(Id),
  stepId: v.optional(Id),
  eventId: v.optional(Id),
  eventName: v.optional(v.string()),
  replayOf: v.optional(Id),
  url: v.string(),
  method: v.picklist(WEBHOOK_METHODS),
  status: v.picklist(DELIVERY_STATUSES),
  attempts: Count,
  // while it waits for its next try
  dueAt: v.optional(Time),
  responseStatus: v.optional(Count),
  error: v.optional(v.string()),
  createdAt: Time,
  completedAt: v.optional(Time),
}

function shownDelivery({ dueAt, url, ...delivery }: WebhookDelivery, seesSecrets: boolean) {
  return {
    ...delivery,
    url: seesSecrets ? url : hiddenUrl(url),
    dueAt: delivery.status === 'PENDING' ? dueAt : undefined,
  }
}

/** A webhook request. */
export const DeliveryAnswer = answer('Delivery', delivery, shownDelivery)

/** With both bodies, and its header fields except those made anew for every try. */
export const DeliveryDetailAnswer = answer(
  'DeliveryDetail',
  {
    ...delivery,
    requestHeaders: v.record(v.string(), v.string()),
    requestBody: v.nullable(v.string()),
    responseBody: v.nullable(v.string()),
  },
  ({ delivery, requestHeaders }: DeliveryDetail, seesSecrets: boolean) => ({
    ...shownDelivery(delivery, seesSecrets),
    requestHeaders: seesSecrets ? requestHeaders : hiddenHeaders(requestHeaders),
    requestBody: delivery.body,
  }),
)

/** The body of a request to an endpoint, as `core/webhooks` writes it. */
export const EventNotice = named(
  'EventNotice',
  v.object({
    type: v.string(),
    timestamp: Time,
    data: v.object({
      eventId: v.optional(Id),
      emailId: v.optional(Id),
      contact: v.optional(v.object({ id: Id, email: Address, subscribed: v.boolean(), data: Fields })),
      event: Fields,
    }),
  }),
)
