import type { WebhookDelivery } from '../ports/store/webhook-deliveries.ts'
import type { WebhookEndpoint } from '../ports/store/webhook-endpoints.ts'

const GONE = 410
const GONE_REASON = 'The receiver answered 410 Gone.'
/** Long enough for a weekend without repair of the receiver. */
const PAUSED_AFTER_MS = 5 * 24 * 3600 * 1000

/**
 * The endpoint after one of its deliveries has ended; the same object when nothing changes. It is paused by a 410, or
 * when everything has failed for five days.
 */
export function afterDelivery(
  endpoint: WebhookEndpoint,
  { status, responseStatus }: Pick<WebhookDelivery, 'status' | 'responseStatus'>,
  now: Date,
): WebhookEndpoint {
  const { failingSince, ...rest } = endpoint
  if (status === 'SUCCEEDED') return failingSince === undefined ? endpoint : { ...rest, updatedAt: now }
  const since = failingSince ?? now
  const reason =
    responseStatus === GONE
      ? GONE_REASON
      : now.getTime() - since.getTime() >= PAUSED_AFTER_MS
        ? `Every delivery has failed since ${since.toISOString()}.`
        : undefined
  if (endpoint.enabled && reason !== undefined) {
    return { ...endpoint, failingSince: since, enabled: false, pausedReason: reason, updatedAt: now }
  }
  return failingSince === undefined ? { ...endpoint, failingSince: since, updatedAt: now } : endpoint
}

/** Whether it was paused because its receiver is gone for good, rather than failing for long. */
export function isGone({ pausedReason }: Pick<WebhookEndpoint, 'pausedReason'>): boolean {
  return pausedReason === GONE_REASON
}
