import type { ProjectId } from '../../values/project-id.ts'

/** A customer's address that receives events. */
export interface WebhookEndpoint {
  /** A UUID (version 7): those made later sort after those made before. */
  readonly id: string
  /** The project that it belongs to. */
  readonly projectId: ProjectId
  /** Where its events are sent by POST. */
  readonly url: string
  /** What it is for. */
  readonly description?: string
  /** Names of events; `*` stands for all, `email.*` for all that begin with it. */
  readonly events: readonly string[]
  /** False: it gets nothing, until it is enabled again. */
  readonly enabled: boolean
  /** Since when every delivery has failed. */
  readonly failingSince?: Date
  /** Why it was paused without a user asking for it. */
  readonly pausedReason?: string
  /** When it was made, by the clock of the engine. */
  readonly createdAt: Date
  /** When it last changed; at first, when it was made. */
  readonly updatedAt: Date
}

/** The secrets that sign a project's requests, encrypted; the earlier one is valid until `earlierUntil`. */
export interface WebhookSecrets {
  /** The project that it belongs to. */
  readonly projectId: ProjectId
  /** What signs requests now. */
  readonly secret: string
  /** What signed them before, which signs too until `earlierUntil`. */
  readonly earlier?: string
  /** Until when the earlier one signs; 24 hours after it was replaced. */
  readonly earlierUntil?: Date
}

/** The endpoints of projects, and the secrets that sign their requests. */
export interface WebhookEndpointRepository {
  /** The project's secrets; `made` is stored when there are none yet. Of concurrent calls one wins. */
  secrets(projectId: ProjectId, made: string): Promise<WebhookSecrets>
  saveSecrets(secrets: WebhookSecrets): Promise<void>
  /** Those of all projects. */
  allSecrets(): Promise<readonly WebhookSecrets[]>
  /** Writes the texts of `next` unless they have changed since they were read as `before`. */
  exchangeSecrets(before: WebhookSecrets, next: WebhookSecrets): Promise<void>

  find(projectId: ProjectId, id: string): Promise<WebhookEndpoint | undefined>
  /** As `find`, inside a transaction, which locks the endpoint until it ends. */
  lock(projectId: ProjectId, id: string): Promise<WebhookEndpoint | undefined>
  /** Those of all projects that were paused by themselves and have changed since. */
  pausedSince(since: Date): Promise<readonly WebhookEndpoint[]>
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
