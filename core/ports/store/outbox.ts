import type { EventRecord } from './events.ts'

/**
 * An event that an endpoint or a workflow waits for and that is not dispatched yet. The database adds it to the outbox
 * when it is stored.
 */
export type OutboxEvent = EventRecord

/** The outbox: events that webhook endpoints and workflows wait for. */
export interface OutboxRepository {
  /**
   * Up to `limit` waiting events, with their data, the oldest first, locked until the transaction ends; other callers
   * skip them. Entries of removed events are deleted.
   */
  pending(limit: number): Promise<readonly OutboxEvent[]>
  /** Removes dispatched events from the outbox. */
  dispatched(ids: readonly string[]): Promise<void>
}
