import { inject, injectable } from '../../di.ts'
import { Kit } from '../../kit.ts'
import { Queue } from '../../ports/queue.ts'
import type { EventRecord } from '../../ports/store/events.ts'
import { type Repositories, Store } from '../../ports/store/store.ts'
import { Drain } from '../../values/drain.ts'
import type { ProjectId } from '../../values/project-id.ts'
import { TellEndpoints } from '../../webhooks/told-event.ts'
import { askToRun } from '../run/ask-to-run.ts'
import { executionOf } from './start-executions.ts'
import { wakeWaiting } from './wake-waiting.ts'

/** So many events are told of in one transaction. */
const BATCH = 400

/** What a batch of events set going. */
interface Told {
  readonly events: number
  /** Executions that are due now. */
  readonly executions: number
  readonly deliveries: number
}

/**
 * Tells of stored events whoever waits for them: workflows that they start, executions that wait for them, endpoints of
 * customers. What comes of an event and the mark that it was told are one transaction, so that it counts exactly once.
 */
@injectable()
export class DispatchEvents {
  readonly #drain = new Drain(() => this.#batch())

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Queue) private readonly queue: Queue,
    @inject(TellEndpoints) private readonly endpoints: TellEndpoints,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /** Every second, and when somebody asks: tells of every event that was stored. In one process it runs once at a time. */
  tick(signal: AbortSignal): Promise<void> {
    return this.#drain.run(signal)
  }

  async #batch(): Promise<boolean> {
    const told = await this.store.transaction((tx) => this.#tell(tx))
    if (told.executions > 0) askToRun(this.queue, this.kit)
    if (told.deliveries > 0) this.endpoints.ask()
    return told.events === BATCH
  }

  async #tell(tx: Repositories): Promise<Told> {
    const events = await tx.outbox.untold(BATCH)
    let [executions, deliveries] = [0, 0]
    const now = this.kit.now()
    for (const [projectId, ofProject] of Map.groupBy(events, (event) => event.projectId)) {
      executions += await wakeWaiting(tx, projectId, ofProject, now)
      executions += await this.#start(tx, projectId, ofProject, now)
      deliveries += await this.endpoints.tell(tx, ofProject, now)
    }
    if (events.length > 0) await tx.outbox.told(events.map(({ id }) => id))
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
