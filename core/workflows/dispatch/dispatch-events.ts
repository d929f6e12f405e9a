import { inject, injectable } from '../../di.ts'
import { Kit } from '../../kit.ts'
import type { EventRecord } from '../../ports/store/events.ts'
import { type Repositories, Store } from '../../ports/store/store.ts'
import type { ProjectId } from '../../values/project-id.ts'
import { EndpointDispatch } from '../../webhooks/endpoint-dispatch.ts'
import { Doorbell, TOPICS } from '../../work/doorbell.ts'
import type { Claimed, Work } from '../../work/work.ts'
import { reachGoals } from './reach-goals.ts'
import { executionOf } from './start-executions.ts'
import { wakeWaiting } from './wake-waiting.ts'

/** How many events one transaction dispatches. */
const BATCH = 400

/** The consequences of a batch of events. */
interface Dispatched {
  readonly events: number
  /** How many executions are due now. */
  readonly executions: number
  readonly deliveries: number
}

/**
 * Dispatches the outbox: to workflows that an event starts, to executions that wait for it or whose goal it is, to endpoints of customers.
 * The consequences of an event and its removal from the outbox are one transaction, so that it counts exactly once.
 */
@injectable()
export class DispatchEvents implements Work {
  readonly topic = TOPICS.dispatch
  readonly lane = 'workflow'
  readonly atOnce = 1
  readonly leaseMs = 0

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Doorbell) private readonly doorbell: Doorbell,
    @inject(EndpointDispatch) private readonly endpoints: EndpointDispatch,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /** Dispatches a batch. Claim, work and result are one transaction, so nothing is left to run. */
  async claim(): Promise<Claimed> {
    const dispatched = await this.store.transaction((tx) => this.#dispatch(tx))
    if (dispatched.executions > 0) this.doorbell.ring(TOPICS.workflows)
    if (dispatched.deliveries > 0) this.endpoints.ask()
    return { running: [], isMore: dispatched.events === BATCH, done: dispatched.events }
  }

  async #dispatch(tx: Repositories): Promise<Dispatched> {
    const events = await tx.outbox.pending(BATCH)
    let [executions, deliveries] = [0, 0]
    const now = this.kit.now()
    for (const [projectId, ofProject] of Map.groupBy(events, (event) => event.projectId)) {
      executions += await wakeWaiting(tx, projectId, ofProject, now)
      executions += await this.#start(tx, projectId, ofProject, now)
      // also what starts with one of these events and reaches its goal with another
      await reachGoals(tx, projectId, ofProject, now)
      deliveries += await this.endpoints.dispatch(tx, ofProject, now)
    }
    if (events.length > 0) await tx.outbox.dispatched(events.map(({ id }) => id))
    return { events: events.length, executions, deliveries }
  }

  async #start(tx: Repositories, projectId: ProjectId, events: readonly EventRecord[], now: Date): Promise<number> {
    const project = await tx.projects.find(projectId)
    if (project === undefined || project.disabled) return 0
    let started = 0
    for (const [name, named] of Map.groupBy(events, (event) => event.name)) {
      const graphs = await tx.workflows.startedBy(projectId, name)
      const executions = graphs.flatMap((graph) =>
        named.flatMap((event) => {
          return executionOf({ graph, contactId: event.contactId, event }, this.kit.newId, now) ?? []
        }),
      )
      if (executions.length > 0) started += (await tx.executions.start(executions)).size
    }
    return started
  }
}
