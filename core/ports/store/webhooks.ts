import type { PageRequest } from '../../values/page.ts'
import type { ProjectId } from '../../values/project-id.ts'
import type { EventRecord } from './events.ts'

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

export const WEBHOOK_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export type WebhookMethod = (typeof WEBHOOK_METHODS)[number]

export const DELIVERY_STATUSES = ['PENDING', 'SUCCEEDED', 'FAILED'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** One request to a customer, of an endpoint or of a workflow's step, with what became of it. Its id is the `webhook-id`. */
export interface WebhookDelivery {
  readonly id: string
  readonly projectId: ProjectId
  readonly endpointId?: string
  readonly workflowId?: string
  readonly executionId?: string
  readonly stepId?: string
  readonly eventId?: string
  readonly eventName?: string
  /** Whom it speaks of: it goes when the contact is removed. */
  readonly contactId?: string
  /** The delivery this one repeats. */
  readonly replayOf?: string
  readonly url: string
  readonly method: WebhookMethod
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** How long one try may take, in seconds. */
  readonly timeout: number
  readonly status: DeliveryStatus
  /** How many tries were begun. */
  readonly attempts: number
  /** Not to be tried before. */
  readonly dueAt: Date
  readonly responseStatus?: number
  readonly responseBody?: string
  /** Why the last try failed. */
  readonly error?: string
  readonly createdAt: Date
  readonly completedAt?: Date
  readonly updatedAt: Date
}

/** The secrets a project's requests are signed with; the earlier one counts until `earlierUntil`. */
export interface WebhookSecrets {
  readonly projectId: ProjectId
  readonly secret: string
  readonly earlier?: string
  readonly earlierUntil?: Date
}

/** An event that somebody waits for, not yet told to them: the database notes it when the event is stored. */
export type UntoldEvent = EventRecord

export interface WebhookRepository {
  /** The project's secrets; `made` is stored when there are none yet. Of several at the same time one wins. */
  secrets(projectId: ProjectId, made: string): Promise<WebhookSecrets>
  saveSecrets(secrets: WebhookSecrets): Promise<void>

  findEndpoint(projectId: ProjectId, id: string): Promise<WebhookEndpoint | undefined>
  /** The endpoint, inside a transaction: nobody else changes it until it ends. */
  lockEndpoint(projectId: ProjectId, id: string): Promise<WebhookEndpoint | undefined>
  /** Every endpoint of the project, newest first. */
  endpoints(projectId: ProjectId): Promise<readonly WebhookEndpoint[]>
  insertEndpoint(endpoint: WebhookEndpoint): Promise<void>
  /** Writes every field; false when there is no such endpoint. */
  updateEndpoint(endpoint: WebhookEndpoint): Promise<boolean>
  /** Removes the endpoint; its deliveries that wait are FAILED, and whoever makes one can no longer record it. */
  removeEndpoint(projectId: ProjectId, id: string, now: Date): Promise<boolean>

  findDelivery(projectId: ProjectId, id: string): Promise<WebhookDelivery | undefined>
  /** Up to `limit + 1`, newest first (by id), without the bodies of the requests, which may be large. */
  deliveries(projectId: ProjectId, filter: DeliveryFilter, page: PageRequest): Promise<readonly WebhookDelivery[]>
  countDeliveries(projectId: ProjectId, filter: DeliveryFilter): Promise<number>
  /** Stores deliveries; one of an event and endpoint that is there already is left out. */
  addDeliveries(deliveries: readonly WebhookDelivery[]): Promise<number>
  /**
   * Takes up to `limit` PENDING deliveries that are due, of all projects, under the lease, one more attempt each; the
   * longest due first. One whose lease has run out is taken again.
   */
  claimDeliveries(
    now: Date,
    limit: number,
    lease: { readonly token: string; readonly until: Date },
  ): Promise<readonly WebhookDelivery[]>
  /**
   * Writes what became of a try, only while it is under the lease's token. The lease ends; what was asked stays as it is.
   */
  recordDelivery(delivery: WebhookDelivery, token: string): Promise<boolean>
  /** When the next PENDING delivery is due that is under no lease. */
  nextDelivery(): Promise<Date | undefined>
  /** At start with an exclusive store: leases of deliveries that end before that date are void. Answers how many. */
  expireLeases(before: Date): Promise<number>
  /** Removes up to `limit` ended deliveries from before that date; answers how many. */
  forgetDeliveries(before: Date, limit: number): Promise<number>

  /**
   * Up to `limit` events somebody waits for (the event itself, with its data), the oldest first, held until the transaction
   * ends; others skip them. Of one that was removed meanwhile the note goes, too.
   */
  untold(limit: number): Promise<readonly UntoldEvent[]>
  /** They were told. */
  told(ids: readonly string[]): Promise<void>
}

export interface DeliveryFilter {
  readonly endpointId?: string
  readonly workflowId?: string
  readonly status?: DeliveryStatus
}
