import type { JsonObject } from '../../values/json.ts'
import type { ProjectId } from '../../values/project-id.ts'

/** Something that happened in an inbox, in the order in which it was committed there. It has no words of a mail. */
export interface InboxEvent {
  /** The inbox. */
  readonly inboxId: string
  /** Its place in the inbox: 1, 2, 3 … without gaps. */
  readonly number: number
  /** The project that it belongs to. */
  readonly projectId: ProjectId
  /** Its name, such as `inbox.message.received`. */
  readonly name: string
  /** The ids and states that changed, see `EngineEventData`. */
  readonly data: JsonObject
  /** When it was made, by the clock of the engine. */
  readonly at: Date
}

/** The events of inboxes, kept for those who follow them. */
export interface InboxEventRepository {
  /**
   * Numbers and stores events, inside the transaction that writes what they report. It locks their inboxes until it ends, so
   * that a higher number is never seen before a lower one. Those of inboxes that are gone are left out.
   */
  add(events: readonly Omit<InboxEvent, 'number'>[]): Promise<void>
  /** Up to `limit` events of an inbox with higher numbers, the lowest first. */
  after(projectId: ProjectId, inboxId: string, number: number, limit: number): Promise<readonly InboxEvent[]>
  /** The number of the last event of each of these inboxes, 0 before the first; without those that are gone. */
  last(inboxIds: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** Removes up to `limit` events of an inbox; answers how many. */
  removeOf(projectId: ProjectId, inboxId: string, limit: number): Promise<number>
  /** Removes up to `limit` events that were made before; answers how many. */
  removeBefore(before: Date, limit: number): Promise<number>
}
