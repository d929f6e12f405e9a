import { inject, injectable } from '../../di.ts'
import { EngineError } from '../../errors.ts'
import { Kit } from '../../kit.ts'
import type { Begun } from '../../ports/store/begun-work.ts'
import type { Contact } from '../../ports/store/contacts.ts'
import type { Execution } from '../../ports/store/executions.ts'
import type { Project } from '../../ports/store/projects.ts'
import { type Repositories, Store } from '../../ports/store/store.ts'
import type { DateTrigger, Workflow, WorkflowGraph } from '../../ports/store/workflows.ts'
import { idOf } from '../../values/id.ts'
import { Pace } from '../../values/pace.ts'
import { Doorbell, TOPICS } from '../../work/doorbell.ts'
import { BEGUN_LEASE_MS, seeThrough } from '../../work/interrupted.ts'
import type { Claimed, ClaimRequest, Work } from '../../work/work.ts'
import { audienceOf, cameDate, type LookedAt, nextLook, sameDates } from '../date-trigger.ts'
import { executionOf } from './start-executions.ts'

/** How many contacts one query finds, and how many are read at once and started in one transaction. */
const FOUND_AT_ONCE = 5000
const STARTED_AT_ONCE = 250
/** How many workflows are looked for at once in this process. */
const AT_ONCE = 2
/** After a failure it is tried again so soon. */
const AGAIN_MS = 60_000
/** While nothing ran, dates came: those of this time are made up for, older ones are not. */
const MAX_LATE_MS = 7 * 86_400_000

/** A workflow with a date while it looks for contacts. */
type Looking = Workflow & { readonly dateTrigger: DateTrigger; readonly startedUntil: Date }

/**
 * Starts workflows for contacts whose date has come. Each quarter of an hour the contacts are looked through, since it
 * is then the hour of the trigger somewhere: the store finds those with a date of about that day, and the moment is
 * computed here. A start has an id of the contact and the day, so that a second look, by this process or another one,
 * starts no one twice.
 */
@injectable()
export class StartByDates implements Work {
  readonly topic = TOPICS.dates
  readonly lane = 'workflow'
  readonly atOnce = AT_ONCE
  readonly leaseMs = BEGUN_LEASE_MS

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Doorbell) private readonly doorbell: Doorbell,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  async claim({ now, lease, room, ends }: ClaimRequest): Promise<Claimed | undefined> {
    const left = await this.store.begunWork.begin('dates', [], now, lease)
    const again = new Date(now.getTime() + AGAIN_MS)
    const due = lease.alone ? [] : await this.store.datedWorkflows.begin(now, again, room)
    const pieces = due.map(({ id, projectId }) => ({ key: id, projectId }))
    const fresh = pieces.length === 0 ? [] : await this.store.begunWork.begin('dates', pieces, now, lease)
    const begun = [...left, ...fresh]
    if (due.length === 0 && begun.length === 0) return undefined
    return { isMore: due.length === room, running: begun.map((piece) => this.#seeThrough(piece, ends.signal)) }
  }

  next(): Promise<Date | undefined> {
    return this.store.datedWorkflows.nextDue()
  }

  async #seeThrough(begun: Begun, signal: AbortSignal): Promise<void> {
    const { key, projectId } = begun
    const workflow = projectId && (await this.store.workflows.find(projectId, key))
    if (!workflow || !isLooking(workflow)) return this.store.begunWork.end(begun)
    await seeThrough(
      this.store,
      begun,
      () => this.#look(workflow, signal),
      (reason) => this.#giveUp(workflow, reason),
    )
  }

  /** The dates that came in this time start nothing; later ones do. */
  async #giveUp(workflow: Looking, reason: string): Promise<void> {
    const { id, projectId } = workflow
    this.kit.log.error('contacts whose date came are not started', { workflow: id, project: projectId, reason })
    await this.#close(workflow, this.kit.now())
  }

  async #look(workflow: Looking, signal: AbortSignal): Promise<void> {
    const { id, projectId, dateTrigger, startedUntil } = workflow
    try {
      const project = await this.store.projects.find(projectId)
      if (project === undefined || project.disabled) return
      const until = this.kit.now()
      const after = new Date(Math.max(startedUntil.getTime(), until.getTime() - MAX_LATE_MS))
      const looked = { after, until }
      const audience = audienceOf(dateTrigger, project, looked)
      let last: string | undefined
      do {
        const ids = await this.store.contacts.ids(projectId, { audience }, FOUND_AT_ONCE, last)
        for (let i = 0; i < ids.length; i += STARTED_AT_ONCE) {
          signal.throwIfAborted()
          const chosen = await this.#came(this.store, project, workflow, ids.slice(i, i + STARTED_AT_ONCE), looked)
          if (chosen.length === 0) continue
          const started = await this.store.transaction((tx) =>
            this.#start(
              tx,
              project,
              workflow,
              chosen.map(({ contact }) => contact.id),
              looked,
            ),
          )
          if (started === undefined) return
          if (started > 0) this.doorbell.ring(TOPICS.workflows)
        }
        last = ids.length < FOUND_AT_ONCE ? undefined : ids.at(-1)
      } while (last !== undefined)
      await this.#close(workflow, until)
    } catch (error) {
      // what waits is looked for again
      if (signal.aborted || (EngineError.is(error) && error.kind === 'unavailable')) return
      this.kit.log.warn('could not look for dates that came', { workflow: id, project: projectId, error })
    }
  }

  /** Answers how many were started; undefined when the workflow was changed meanwhile. */
  async #start(
    tx: Repositories,
    project: Project,
    workflow: Looking,
    ids: readonly string[],
    looked: LookedAt,
  ): Promise<number | undefined> {
    const held = await tx.workflows.lock(project.id, workflow.id)
    if (held === undefined || !isSame(held, workflow)) return undefined
    const came = await this.#came(tx, project, workflow, ids, looked)
    if (came.length === 0) return 0
    const graph = await tx.workflows.graph(project.id, workflow.id)
    if (graph === undefined) return undefined
    return (await tx.executions.start(this.#executions(graph, workflow, came))).size
  }

  /** Those of the contacts whose date came. Most that are found are read without a transaction, since theirs has not. */
  async #came(
    { contacts }: Pick<Repositories, 'contacts'>,
    project: Project,
    { dateTrigger }: Looking,
    ids: readonly string[],
    looked: LookedAt,
  ): Promise<readonly Came[]> {
    const pace = new Pace()
    const came: Came[] = []
    for (const contact of await contacts.findAll(project.id, ids)) {
      const date = await pace.run(() => cameDate(dateTrigger, project, contact, looked))
      if (date) came.push({ contact, ...date })
    }
    return came
  }

  #executions(graph: WorkflowGraph, { id, dateTrigger }: Looking, came: readonly Came[]): readonly Execution[] {
    const now = this.kit.now()
    return came.flatMap(({ contact, day, date }) => {
      const event = {
        id: idOf(new Date(day), `${id} ${contact.id}`),
        data: { date, day, field: dateTrigger.field },
      }
      return executionOf({ graph, contactId: contact.id, event }, this.kit.newId, now) ?? []
    })
  }

  /** Contacts whose date came up to then are started. */
  async #close(workflow: Looking, until: Date): Promise<void> {
    await this.store.transaction(async (tx) => {
      const held = await tx.workflows.lock(workflow.projectId, workflow.id)
      if (held === undefined || !isSame(held, workflow)) return
      await tx.workflows.update({ ...held, startedUntil: until, dueAt: nextLook(workflow.dateTrigger, until) })
    })
  }
}

interface Came {
  readonly contact: Contact
  readonly day: string
  readonly date: string
}

function isLooking(workflow: Workflow): workflow is Looking {
  const { enabled, triggerType, dateTrigger, startedUntil } = workflow
  return enabled && triggerType === 'DATE' && dateTrigger !== undefined && startedUntil !== undefined
}

function isSame(held: Workflow, { dateTrigger, startedUntil }: Looking): boolean {
  return (
    isLooking(held) &&
    sameDates(held.dateTrigger, dateTrigger) &&
    held.startedUntil.getTime() === startedUntil.getTime()
  )
}
