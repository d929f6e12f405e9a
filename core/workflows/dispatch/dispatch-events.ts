import { inject, injectable } from '../../di.ts'
import { isOfContact } from '../../events/event.ts'
import { Kit } from '../../kit.ts'
import type { ContactEvent } from '../../ports/store/events.ts'
import type { ClaimedEvent } from '../../ports/store/outbox.ts'
import { type Repositories, Store } from '../../ports/store/store.ts'
import type { ProjectId } from '../../values/project-id.ts'
import { EndpointDispatch } from '../../webhooks/endpoint-dispatch.ts'
import { Doorbell, TOPICS } from '../../work/doorbell.ts'
import { givenUp } from '../../work/interrupted.ts'
import type { Claimed, ClaimRequest, Work } from '../../work/work.ts'
import { isAmong } from '../event-trigger.ts'
import { reachGoals } from './reach-goals.ts'
import { executionOf } from './start-executions.ts'
import { wakeWaiting } from './wake-waiting.ts'

/** How many events one transaction dispatches. */
const BATCH = 400

/** The consequences of a batch of events. */
interface Dispatched {
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
  readonly leaseMs = 60_000

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Doorbell) private readonly doorbell: Doorbell,
    @inject(EndpointDispatch) private readonly endpoints: EndpointDispatch,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  async claim({ now, lease }: ClaimRequest): Promise<Claimed | undefined> {
    const claimed = await this.store.outbox.claim(now, BATCH, lease)
    if (claimed.length === 0) return undefined
    const isMore = claimed.length === BATCH
    const [first] = claimed
    const reason = lease.alone && first ? givenUp(first) : undefined
    if (first && reason !== undefined) return { isMore, running: [this.#putAside(first, lease.token, reason)] }
    return { isMore, running: [this.#work(claimed, lease.token)] }
  }

  async #work(claimed: readonly ClaimedEvent[], token: string): Promise<void> {
    const ids = claimed.map(({ id }) => id)
    try {
      const dispatched = await this.store.transaction((tx) => this.#dispatch(tx, ids, token))
      if (dispatched.executions > 0) this.doorbell.ring(TOPICS.workflows)
      if (dispatched.deliveries > 0) this.endpoints.ask()
    } catch (error) {
      await this.store.outbox.release(ids, token)
      throw error
    }
  }

  /** One that processes have ended with: it stays in the history, and starts nothing. */
  async #putAside({ id }: ClaimedEvent, token: string, reason: string): Promise<void> {
    await this.store.transaction(async (tx) => {
      const [event] = await tx.outbox.claimed([id], token)
      if (event === undefined) return
      const { projectId, name } = event
      this.kit.log.error('an event is given up: it starts no workflow and is told to no endpoint', {
        event: id,
        name,
        project: projectId,
        reason,
      })
      await tx.begunWork.giveUp({ kind: 'event', key: id, projectId, reason, at: this.kit.now() })
      await tx.outbox.dispatched([id])
    })
  }

  async #dispatch(tx: Repositories, ids: readonly string[], token: string): Promise<Dispatched> {
    const events = await tx.outbox.claimed(ids, token)
    let [executions, deliveries] = [0, 0]
    const now = this.kit.now()
    for (const [projectId, ofProject] of Map.groupBy(events, (event) => event.projectId)) {
      const ofContacts = ofProject.filter(isOfContact)
      executions += await wakeWaiting(tx, projectId, ofContacts, now)
      executions += await this.#start(tx, projectId, ofContacts, now)
      // also what starts with one of these events and reaches its goal with another
      await reachGoals(tx, projectId, ofContacts, now)
      deliveries += await this.endpoints.dispatch(tx, ofProject, now)
    }
    await tx.outbox.dispatched(events.map(({ id }) => id))
    return { executions, deliveries }
  }

  async #start(tx: Repositories, projectId: ProjectId, events: readonly ContactEvent[], now: Date): Promise<number> {
    const project = await tx.projects.find(projectId)
    if (project === undefined || project.disabled) return 0
    let started = 0
    for (const [name, named] of Map.groupBy(events, (event) => event.name)) {
      const graphs = await tx.workflows.startedBy(projectId, name)
      const executions = graphs.flatMap((graph) =>
        named.flatMap((event) => {
          if (!isAmong(graph.workflow.eventTrigger, event.data)) return []
          return executionOf({ graph, contactId: event.contactId, event }, this.kit.newId, now) ?? []
        }),
      )
      if (executions.length > 0) started += (await tx.executions.start(executions)).size
    }
    return started
  }
}
