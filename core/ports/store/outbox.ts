import type { EventRecord } from './events.ts'

/** An event that somebody waits for and that is not dispatched yet: the database puts it into the outbox when it is stored. */
export type OutboxEvent = EventRecord

/** The outbox: events that webhook endpoints and workflows wait for. */
export interface OutboxRepository {
  /**
   * Up to `limit` events somebody waits for (the event itself, with its data), the oldest first, held until the transaction
   * ends; others skip them. Of one that was removed meanwhile the note goes, too.
   */
  pending(limit: number): Promise<readonly OutboxEvent[]>
  /** They were dispatched, and leave the outbox. */
  dispatched(ids: readonly string[]): Promise<void>
}
