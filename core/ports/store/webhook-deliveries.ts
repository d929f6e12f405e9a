import type { PageRequest } from '../../values/page.ts'
import type { ProjectId } from '../../values/project-id.ts'

export const WEBHOOK_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export type WebhookMethod = (typeof WEBHOOK_METHODS)[number]

export const DELIVERY_STATUSES = ['PENDING', 'SUCCEEDED', 'FAILED'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** One request to a customer, for an endpoint or a workflow's step, with its result. Its id is the `webhook-id`. */
export interface WebhookDelivery {
  readonly id: string
  readonly projectId: ProjectId
  readonly endpointId?: string
  readonly workflowId?: string
  readonly executionId?: string
  readonly stepId?: string
  readonly eventId?: string
  readonly eventName?: string
  /** The contact it is about: it is removed together with the contact. */
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
  /** How many tries have begun. */
  readonly attempts: number
  /** Not tried before this time. */
  readonly dueAt: Date
  readonly responseStatus?: number
  readonly responseBody?: string
  /** Why the last try failed. */
  readonly error?: string
  readonly createdAt: Date
  readonly completedAt?: Date
  readonly updatedAt: Date
}

/** Requests to customers, waiting and done. */
export interface WebhookDeliveryRepository {
  find(projectId: ProjectId, id: string): Promise<WebhookDelivery | undefined>
  /** Up to `limit + 1`, newest first (by id), without the bodies of the requests, which may be large. */
  page(projectId: ProjectId, filter: DeliveryFilter, page: PageRequest): Promise<readonly WebhookDelivery[]>
  count(projectId: ProjectId, filter: DeliveryFilter): Promise<number>
  /** Stores deliveries; skips those whose event and endpoint already have one. */
  add(deliveries: readonly WebhookDelivery[]): Promise<number>
  /**
   * Claims up to `limit` PENDING deliveries that are due, of all projects, under the lease, one more attempt each; the
   * longest due first. One whose lease has run out is claimed again.
   */
  claim(
    now: Date,
    limit: number,
    lease: { readonly token: string; readonly until: Date },
  ): Promise<readonly WebhookDelivery[]>
  /**
   * Writes the result of a try if the delivery still has the lease's token, and ends the lease. The request itself does
   * not change.
   */
  record(delivery: WebhookDelivery, token: string): Promise<boolean>
  /** When the next PENDING delivery without a lease is due. */
  next(): Promise<Date | undefined>
  /** At start with an exclusive store: voids leases of deliveries that end before that date. Answers how many. */
  expireLeases(before: Date): Promise<number>
  /** Removes up to `limit` ended deliveries from before that date; answers how many. */
  forget(before: Date, limit: number): Promise<number>
}

export interface DeliveryFilter {
  readonly endpointId?: string
  readonly workflowId?: string
  readonly status?: DeliveryStatus
}
