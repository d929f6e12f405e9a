import type { Repositories } from '../ports/store/store.ts'
import type { ProjectId } from '../values/project-id.ts'

/** How long requests are signed with the earlier secret too, in milliseconds. */
const OVERLAP_MS = 24 * 3600 * 1000

/**
 * Replaces the project's secret; the earlier one stays valid for 24 hours. The same secret changes nothing. Call it
 * inside a transaction, or where no other code changes it.
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
