import type { EventRecord } from './events.ts'
import type { ClaimLease, Interrupted } from './interrupted.ts'

/**
 * An event that an endpoint or a workflow waits for and that is not dispatched yet. The database adds it to the outbox
 * when it is stored.
 */
export type OutboxEvent = EventRecord

/** An event claimed from the outbox, by its id. */
export interface ClaimedEvent extends Interrupted {
  /** The id of the event. */
  readonly id: string
}

/** The outbox: events that webhook endpoints and workflows wait for. */
export interface OutboxRepository {
  /** Up to `limit` events that are not dispatched yet, with their data, the oldest first, claimed or not. */
  pending(limit: number): Promise<readonly OutboxEvent[]>
  /** Claims up to `limit` waiting events, the oldest first; `alone` as in `ClaimLease`. */
  claim(now: Date, limit: number, lease: ClaimLease): Promise<readonly ClaimedEvent[]>
  /**
   * Those of these events that are claimed under the token, with their data, the oldest first, locked until the transaction
   * ends. Entries of removed events are deleted.
   */
  claimed(ids: readonly string[], token: string): Promise<readonly OutboxEvent[]>
  /** Removes dispatched events from the outbox. */
  dispatched(ids: readonly string[]): Promise<void>
  /** Ends a claim in order, so that its events are due again. */
  release(ids: readonly string[], token: string): Promise<void>
  /** Frees events whose lease ended before that time. Answers how many. */
  expireLeases(before: Date): Promise<number>
}
