import type {
  WebhookEndpoint,
  WebhookEndpointRepository,
  WebhookSecrets,
} from '../../../../../core/ports/store/webhook-endpoints.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { BY_ID } from '../../engine/project-noun.ts'
import { Repository } from '../../engine/repository.ts'
import { Rows } from '../../engine/rows.ts'
import { giveUpDeliveries } from './webhook-deliveries.ts'

const WHOLE = { on: ['projectId'] } as const

/** The webhook endpoints and their secrets. */
export class SqlWebhookEndpoints extends Repository implements WebhookEndpointRepository {
  readonly #endpoints = new Rows(this.access, this.tables.webhookEndpoints)
  readonly #secrets = new Rows(this.access, this.tables.webhookSecrets)

  async secrets(projectId: ProjectId, made: string): Promise<WebhookSecrets> {
    const known = await this.#secrets.one({ projectId })
    if (known) return known
    const first = { projectId, secret: made }
    if (await this.#secrets.add(first)) return first
    return (await this.#secrets.one({ projectId })) ?? first
  }

  saveSecrets(secrets: WebhookSecrets): Promise<void> {
    return this.#secrets.put(secrets, WHOLE)
  }

  allSecrets(): Promise<readonly WebhookSecrets[]> {
    return this.#secrets.list({})
  }

  async exchangeSecrets({ projectId, secret }: WebhookSecrets, next: WebhookSecrets): Promise<void> {
    await this.#secrets.change({ projectId, secret }, { secret: next.secret, earlier: next.earlier ?? null })
  }

  find(projectId: ProjectId, id: string): Promise<WebhookEndpoint | undefined> {
    return this.#endpoints.one({ projectId, id })
  }

  lock(projectId: ProjectId, id: string): Promise<WebhookEndpoint | undefined> {
    return this.#endpoints.lock({ projectId, id })
  }

  pausedSince(since: Date): Promise<readonly WebhookEndpoint[]> {
    return this.#endpoints.list({ pausedReason: { $ne: null }, updatedAt: { $gte: since } })
  }

  all(projectId: ProjectId): Promise<readonly WebhookEndpoint[]> {
    return this.#endpoints.list({ projectId }, { orderBy: { id: 'desc' } })
  }

  insert(endpoint: WebhookEndpoint): Promise<void> {
    return this.#endpoints.insert(endpoint)
  }

  update(endpoint: WebhookEndpoint): Promise<boolean> {
    return this.#endpoints.update(endpoint, BY_ID)
  }

  remove(projectId: ProjectId, id: string, now: Date): Promise<boolean> {
    return this.access.write(async (session) => {
      if (!(await this.#endpoints.in(session).remove({ projectId, id }))) return false
      await giveUpDeliveries(this.dialect, session, projectId, id, now)
      return true
    })
  }
}
