import type { EventRecord } from '../ports/store/events.ts'
import type { Repositories } from '../ports/store/store.ts'

/** An event that endpoints of its project are to be told of. */
export type ToldEvent = EventRecord

/** Tells a project's endpoints of events, inside the transaction that counts the events as told. */
export interface TellEndpoints {
  /**
   * Stores a delivery for each of the project's endpoints that asked for one of these events; answers how many. All events
   * are of one project.
   */
  tell(tx: Repositories, events: readonly ToldEvent[], now: Date): Promise<number>
  /** After the commit: there are deliveries to make. Answers at once. */
  ask(): void
}
export const TellEndpoints = Symbol('TellEndpoints')
