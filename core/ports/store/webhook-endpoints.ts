import type { ProjectId } from '../../values/project-id.ts'

/** A customer's address that receives events. */
export interface WebhookEndpoint {
  readonly id: string
  readonly projectId: ProjectId
  readonly url: string
  readonly description?: string
  /** Names of events; `*` stands for all, `email.*` for all that begin with it. */
  readonly events: readonly string[]
  readonly enabled: boolean
  /** Since when every delivery has failed. */
  readonly failingSince?: Date
  /** Why it was paused without a user asking for it. */
  readonly pausedReason?: string
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** The secrets that sign a project's requests; the earlier one is valid until `earlierUntil`. */
export interface WebhookSecrets {
  readonly projectId: ProjectId
  readonly secret: string
  readonly earlier?: string
  readonly earlierUntil?: Date
}

/** The endpoints of projects, and the secrets that sign their requests. */
export interface WebhookEndpointRepository {
  /** The project's secrets; `made` is stored when there are none yet. Of concurrent calls one wins. */
  secrets(projectId: ProjectId, made: string): Promise<WebhookSecrets>
  saveSecrets(secrets: WebhookSecrets): Promise<void>

  find(projectId: ProjectId, id: string): Promise<WebhookEndpoint | undefined>
  /** As `find`, inside a transaction, which locks the endpoint until it ends. */
  lock(projectId: ProjectId, id: string): Promise<WebhookEndpoint | undefined>
  /** Every endpoint of the project, newest first. */
  all(projectId: ProjectId): Promise<readonly WebhookEndpoint[]>
  insert(endpoint: WebhookEndpoint): Promise<void>
  /** Writes every field; false when there is no such endpoint. */
  update(endpoint: WebhookEndpoint): Promise<boolean>
  /**
   * Removes the endpoint. Its waiting deliveries become FAILED, and the result of a running one is no longer recorded.
   */
  remove(projectId: ProjectId, id: string, now: Date): Promise<boolean>
}
