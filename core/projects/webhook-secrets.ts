import { EngineError } from '../errors.ts'
import type { Sealing } from '../mail/dkim/sealing.ts'
import type { Repositories } from '../ports/store/store.ts'
import type { WebhookSecrets } from '../ports/store/webhook-endpoints.ts'
import type { ProjectId } from '../values/project-id.ts'
import { newWebhookSecret } from '../values/webhook-secret.ts'

/** How long requests are signed with the earlier secret too, in milliseconds. */
const OVERLAP_MS = 24 * 3600 * 1000

/** The start of secrets that were stored by earlier versions, which did not encrypt them. */
const PLAIN = 'whsec_'

type Endpoints = Pick<Repositories, 'webhookEndpoints'>

/**
 * The project's secrets, in the clear; made when it has none. They are stored encrypted. Throws EngineError
 * `SERVICE_UNAVAILABLE` when the secret was encrypted with another `secret`. An earlier one that was is left out.
 */
export async function readSecrets(
  { webhookEndpoints }: Endpoints,
  sealing: Sealing,
  projectId: ProjectId,
): Promise<WebhookSecrets> {
  const made = sealing.seal(newWebhookSecret(), ownerOf(projectId))
  const { earlier: sealed, ...stored } = await webhookEndpoints.secrets(projectId, made)
  const secret = await opened(sealing, stored.secret, projectId)
  if (secret === undefined) throw unreadable()
  const earlier = sealed === undefined ? undefined : await opened(sealing, sealed, projectId)
  return { ...stored, secret, ...(earlier === undefined ? {} : { earlier }) }
}

/**
 * Replaces the project's secret; the earlier one stays valid for 24 hours. The same secret changes nothing. Call it
 * inside a transaction, or where no other code changes it.
 */
export async function replaceSecret(
  { webhookEndpoints }: Endpoints,
  sealing: Sealing,
  projectId: ProjectId,
  secret: string,
  now: Date,
): Promise<void> {
  const sealed = sealing.seal(secret, ownerOf(projectId))
  const before = await webhookEndpoints.secrets(projectId, sealed)
  if (before.secret === sealed || (await opened(sealing, before.secret, projectId)) === secret) return
  const earlierUntil = new Date(now.getTime() + OVERLAP_MS)
  await webhookEndpoints.saveSecrets({ projectId, secret: sealed, earlier: before.secret, earlierUntil })
}

/**
 * At start: encrypts what earlier versions stored in the clear, and what was encrypted before `secret` was set.
 * Answers the projects whose secrets cannot be read, which stay as they are.
 */
export async function sealSecrets({ webhookEndpoints }: Endpoints, sealing: Sealing): Promise<readonly ProjectId[]> {
  const unread: ProjectId[] = []
  for (const stored of await webhookEndpoints.allSecrets()) {
    const { projectId, earlier } = stored
    const secret = await sealedAnew(sealing, stored.secret, projectId)
    if (secret === undefined) unread.push(projectId)
    const next = {
      ...stored,
      secret: secret ?? stored.secret,
      ...(earlier === undefined ? {} : { earlier: (await sealedAnew(sealing, earlier, projectId)) ?? earlier }),
    }
    if (next.secret !== stored.secret || next.earlier !== earlier) await webhookEndpoints.exchangeSecrets(stored, next)
  }
  return unread
}

/** The same text when it is encrypted with the current key; undefined when it cannot be read. */
async function sealedAnew(sealing: Sealing, stored: string, projectId: ProjectId): Promise<string | undefined> {
  if (sealing.isCurrent(stored, ownerOf(projectId))) return stored
  const text = await opened(sealing, stored, projectId)
  return text === undefined ? undefined : sealing.seal(text, ownerOf(projectId))
}

async function opened(sealing: Sealing, stored: string, projectId: ProjectId): Promise<string | undefined> {
  return stored.startsWith(PLAIN) ? stored : sealing.open(stored, ownerOf(projectId))
}

/** The row that they are bound to, so that no row can be put in another's place. */
function ownerOf(projectId: ProjectId): string {
  return `webhooks ${projectId}`
}

/** The cure for secrets that were encrypted with another `secret`. */
export const UNREADABLE_SECRETS =
  'Give the server the secret (SECRET) again that it had before, or make a new secret for webhooks with POST /webhooks/secret/rotate and give it to the receivers.'

function unreadable(): EngineError {
  return new EngineError(
    'SERVICE_UNAVAILABLE',
    'The secret that signs the webhooks of this project cannot be read: it was encrypted with another secret (SECRET). Its requests wait.',
    { suggestion: UNREADABLE_SECRETS, isTold: true },
  )
}
