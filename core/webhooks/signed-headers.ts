import { Webhook } from 'standardwebhooks'
import type { NamedForeignApi } from '../ports/foreign-api.ts'
import type { WebhookDelivery } from '../ports/store/webhook-deliveries.ts'
import type { WebhookSecrets } from '../ports/store/webhook-endpoints.ts'
import type { WebhookRequest } from '../ports/webhook-sender.ts'

const USER_AGENT = 'Mailwright'
/** The fields this module makes itself, for each try. */
const OWN_FIELDS = new Set(['webhook-id', 'webhook-timestamp', 'webhook-signature'])

/** The header fields of a delivery that are the same on every try, names in lower case. */
export function steadyHeaders({ id, headers }: Pick<WebhookDelivery, 'id' | 'headers'>): Record<string, string> {
  const given = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  const kept = Object.fromEntries(given.filter(([name]) => !OWN_FIELDS.has(name)))
  return { 'user-agent': USER_AGENT, ...kept, 'webhook-id': id }
}

/**
 * The header fields of one try at `now`, signed with each of the secrets (`whsec_…`) as Standard Webhooks 1.0.0
 * describes: receivers accept the request when one of the signatures, separated by spaces, is right.
 */
export function signedHeaders(
  delivery: Pick<WebhookDelivery, 'id' | 'headers' | 'body'>,
  secrets: readonly string[],
  now: Date,
): Record<string, string> {
  const { id, body = '' } = delivery
  const signature = secrets.map((secret) => new Webhook(secret).sign(id, now, body)).join(' ')
  const timestamp = String(Math.floor(now.getTime() / 1000))
  return { ...steadyHeaders(delivery), 'webhook-timestamp': timestamp, 'webhook-signature': signature }
}

/** The header fields and the body of one try, signed in the way of its dialect, too. */
export function signedRequest(
  delivery: WebhookDelivery,
  secrets: readonly [string, ...string[]],
  { dialects, at }: { readonly dialects: readonly NamedForeignApi[]; readonly at: Date },
): Pick<WebhookRequest, 'headers' | 'body' | 'signatures'> {
  const { id, endpointId = '', dialect, body = '' } = delivery
  const events = dialect === undefined ? undefined : dialects.find(({ name }) => name === dialect)?.api.events
  const own = events?.sign?.({ id, endpointId, body, at, secrets })
  const sent = own?.body === undefined ? delivery : { ...delivery, body: own.body }
  const headers = { ...own?.headers, ...signedHeaders(sent, secrets, at) }
  const signatures = Object.keys(own?.headers ?? {})
  return { headers, signatures, ...(sent.body === undefined ? {} : { body: sent.body }) }
}

/** The currently valid secrets, the newest first. */
export function countingSecrets(
  { secret, earlier, earlierUntil }: WebhookSecrets,
  now: Date,
): readonly [string, ...string[]] {
  return earlier !== undefined && earlierUntil !== undefined && earlierUntil > now ? [secret, earlier] : [secret]
}
