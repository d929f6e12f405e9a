import type { WebhookDelivery } from '../ports/store/webhook-deliveries.ts'
import type { WebhookEndpoint } from '../ports/store/webhook-endpoints.ts'
import type { JsonObject } from '../values/json.ts'

/** How long one try of a request to an endpoint may take, in seconds. */
const TIMEOUT = 15

/** The request body, in the form Standard Webhooks suggests: `{ type, timestamp, data }`. */
export function bodyOf({
  name,
  at,
  data,
}: {
  readonly name: string
  readonly at: Date
  readonly data: JsonObject
}): string {
  return JSON.stringify({ type: name, timestamp: at.toISOString(), data })
}

/** A delivery to an endpoint, due now. */
export function deliveryTo(
  { id: endpointId, projectId, url, dialect }: WebhookEndpoint,
  sent: { readonly name: string; readonly body: string },
  id: string,
  now: Date,
): WebhookDelivery {
  return {
    id,
    projectId,
    endpointId,
    eventName: sent.name,
    url,
    method: 'POST',
    body: sent.body,
    timeout: TIMEOUT,
    headers: { 'content-type': 'application/json' },
    ...(dialect === undefined ? {} : { dialect }),
    status: 'PENDING',
    attempts: 0,
    dueAt: now,
    createdAt: now,
    updatedAt: now,
  }
}
