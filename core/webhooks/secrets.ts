import { randomBytes } from 'node:crypto'
import type { Repositories } from '../ports/store/store.ts'
import type { WebhookSecrets } from '../ports/store/webhook-endpoints.ts'
import type { ProjectId } from '../values/project-id.ts'

/** How long requests are signed with the earlier secret too, in milliseconds. */
const OVERLAP_MS = 24 * 3600 * 1000

/** A secret as Standard Webhooks has them: `whsec_` and 32 random bytes in base64. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

/** True for `whsec_` and 24 to 64 bytes in base64, as Standard Webhooks wants them. */
export function isWebhookSecret(text: string): boolean {
  const [, encoded] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? []
  if (encoded === undefined || encoded.length % 4 !== 0) return false
  const { length } = Buffer.from(encoded, 'base64')
  return length >= 24 && length <= 64
}

/**
 * Puts a secret in place of the project's; the one before counts for 24 hours more. The same secret changes nothing. For
 * use inside a transaction, or where nobody else changes it.
 */
export async function replaceSecret(
  { webhookEndpoints }: Pick<Repositories, 'webhookEndpoints'>,
  projectId: ProjectId,
  secret: string,
  now: Date,
): Promise<void> {
  const before = await webhookEndpoints.secrets(projectId, secret)
  if (before.secret === secret) return
  const earlierUntil = new Date(now.getTime() + OVERLAP_MS)
  await webhookEndpoints.saveSecrets({ projectId, secret, earlier: before.secret, earlierUntil })
}

/** The secrets that count now, the newest first. */
export function countingSecrets({ secret, earlier, earlierUntil }: WebhookSecrets, now: Date): readonly string[] {
  return earlier !== undefined && earlierUntil !== undefined && earlierUntil > now ? [secret, earlier] : [secret]
}
