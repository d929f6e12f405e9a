import * as v from 'valibot'
import { DELIVERY_STATUSES, WEBHOOK_METHODS } from '../../core/ports/store/webhook-deliveries.ts'
import { named } from '../../core/values/described.ts'
import { Address, Count, Fields, Id, Time } from './parts.ts'

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
  dueAt: v.optional(Time),
  responseStatus: v.optional(Count),
  error: v.optional(v.string()),
  createdAt: Time,
  completedAt: v.optional(Time),
}

export const DeliveryRecord = named('Delivery', v.object(delivery))

/** With the request and the answer to it. */
export const DeliveryDetailRecord = named(
  'DeliveryDetail',
  v.object({
    ...delivery,
    requestHeaders: v.record(v.string(), v.string()),
    requestBody: v.nullable(v.string()),
    responseBody: v.nullable(v.string()),
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
