import type { EventRecord } from './events.ts'

/** An event that somebody waits for, not yet told to them: the database notes it when the event is stored. */
export type UntoldEvent = EventRecord

/** The events that somebody waits for: webhook endpoints and workflows. */
export interface OutboxRepository {
  /**
   * Up to `limit` events somebody waits for (the event itself, with its data), the oldest first, held until the transaction
   * ends; others skip them. Of one that was removed meanwhile the note goes, too.
   */
  untold(limit: number): Promise<readonly UntoldEvent[]>
  /** They were told. */
  told(ids: readonly string[]): Promise<void>
}
