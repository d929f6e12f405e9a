import type { EventRecord } from '../ports/store/events.ts'
import type { Repositories } from '../ports/store/store.ts'

/** Dispatches events to a project's endpoints, inside the transaction that takes them from the outbox. */
export interface EndpointDispatch {
  /**
   * Stores a delivery for each of the project's endpoints that asked for one of these events; answers how many. All events
   * are of one project.
   */
  dispatch(tx: Repositories, events: readonly EventRecord[], now: Date): Promise<number>
  /** After the commit: there are deliveries to make. Answers at once. */
  ask(): void
}
export const EndpointDispatch = Symbol('EndpointDispatch')
