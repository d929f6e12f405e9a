import type { EventRecord } from '../ports/store/events.ts'
import type { Repositories } from '../ports/store/store.ts'

/** Dispatches events to a project's endpoints, inside the transaction that takes them from the outbox. */
export interface EndpointDispatch {
  /**
   * Stores a delivery for each of the project's endpoints that subscribes to one of these events; answers how many. All
   * events belong to one project.
   */
  dispatch(tx: Repositories, events: readonly EventRecord[], now: Date): Promise<number>
  /** Call it after the commit, to make the deliveries. Does not wait. */
  ask(): void
}
export const EndpointDispatch = Symbol('EndpointDispatch')
