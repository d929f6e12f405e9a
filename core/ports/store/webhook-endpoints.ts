import type { ProjectId } from '../../values/project-id.ts'

/** A customer's address that is told of events. */
export interface WebhookEndpoint {
  readonly id: string
  readonly projectId: ProjectId
  readonly url: string
  readonly description?: string
  /** Names of events; `*` stands for all, `email.*` for all that begin so. */
  readonly events: readonly string[]
  readonly enabled: boolean
  /** Since when every delivery has failed. */
  readonly failingSince?: Date
  /** Why it was paused, when nobody asked for it. */
  readonly pausedReason?: string
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** The secrets a project's requests are signed with; the earlier one counts until `earlierUntil`. */
export interface WebhookSecrets {
  readonly projectId: ProjectId
  readonly secret: string
  readonly earlier?: string
  readonly earlierUntil?: Date
}

/** Where projects want to be told of events, and the secrets their requests are signed with. */
export interface WebhookEndpointRepository {
  /** The project's secrets; `made` is stored when there are none yet. Of several at the same time one wins. */
  secrets(projectId: ProjectId, made: string): Promise<WebhookSecrets>
  saveSecrets(secrets: WebhookSecrets): Promise<void>

  find(projectId: ProjectId, id: string): Promise<WebhookEndpoint | undefined>
  /** The endpoint, inside a transaction: nobody else changes it until it ends. */
  lock(projectId: ProjectId, id: string): Promise<WebhookEndpoint | undefined>
  /** Every endpoint of the project, newest first. */
  all(projectId: ProjectId): Promise<readonly WebhookEndpoint[]>
  insert(endpoint: WebhookEndpoint): Promise<void>
  /** Writes every field; false when there is no such endpoint. */
  update(endpoint: WebhookEndpoint): Promise<boolean>
  /** Removes the endpoint; its deliveries that wait are FAILED, and whoever makes one can no longer record it. */
  remove(projectId: ProjectId, id: string, now: Date): Promise<boolean>
}
