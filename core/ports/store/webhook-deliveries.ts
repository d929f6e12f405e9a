import type { PageRequest } from '../../values/page.ts'
import type { ProjectId } from '../../values/project-id.ts'
import type { ClaimLease, Interrupted } from './interrupted.ts'

export const WEBHOOK_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export type WebhookMethod = (typeof WEBHOOK_METHODS)[number]

export const DELIVERY_STATUSES = ['PENDING', 'SUCCEEDED', 'FAILED'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** One request to a customer, for an endpoint or a workflow's step, with its result. Its id is the `webhook-id`. */
export interface WebhookDelivery {
  /** A UUID (version 7): those made later sort after those made before. */
  readonly id: string
  /** The project that it belongs to. */
  readonly projectId: ProjectId
  /** The endpoint; absent for a request of a workflow. */
  readonly endpointId?: string
  /** The workflow; absent for an endpoint. */
  readonly workflowId?: string
  /** The execution of that workflow. */
  readonly executionId?: string
  /** The step of that workflow. */
  readonly stepId?: string
  /** The event that is sent; absent for a request of a workflow. */
  readonly eventId?: string
  /** The name of that event. */
  readonly eventName?: string
  /** The contact or stranger (`strangerId`) that it is about: it is removed together with the contact. */
  readonly contactId?: string
  /** The delivery this one repeats. */
  readonly replayOf?: string
  /** Where it goes. */
  readonly url: string
  /** The method of the request; POST for endpoints. */
  readonly method: WebhookMethod
  /** The header fields beside those of every request. */
  readonly headers: Readonly<Record<string, string>>
  /** Whose form the body has, and whose signature the request: the name of another service's API. Absent: our own. */
  readonly dialect?: string
  /** The body that is sent; absent without one. */
  readonly body?: string
  /** How long one try may take, in seconds. */
  readonly timeout: number
  /** Whether it waits, was answered, or has failed for good. */
  readonly status: DeliveryStatus
  /** How many tries have begun. */
  readonly attempts: number
  /** Not tried before this time. */
  readonly dueAt: Date
  /** The status of the last answer; absent without one. */
  readonly responseStatus?: number
  /** The beginning of the last answer. */
  readonly responseBody?: string
  /** Why the last try failed. */
  readonly error?: string
  /** When it was made, by the clock of the engine. */
  readonly createdAt: Date
  /** When it ended; absent while it is tried. */
  readonly completedAt?: Date
  /** When it last changed; at first, when it was made. */
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
  claim(now: Date, limit: number, lease: ClaimLease): Promise<readonly (WebhookDelivery & Interrupted)[]>
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
