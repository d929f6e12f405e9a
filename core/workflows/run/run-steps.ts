import { inject, injectable } from '../../di.ts'
import { EngineError } from '../../errors.ts'
import { Filters } from '../../filters/filters.ts'
import { Kit } from '../../kit.ts'
import { CompiledMails } from '../../mail/compiled-mails.ts'
import { Links } from '../../mail/links/links.ts'
import { Rendering } from '../../mail/render/rendering.ts'
import type { Contact } from '../../ports/store/contacts.ts'
import type { Execution } from '../../ports/store/executions.ts'
import type { StepRun } from '../../ports/store/step-runs.ts'
import type { Repositories } from '../../ports/store/store.ts'
import type { WorkflowStep } from '../../ports/store/workflows.ts'
import { Pace } from '../../values/pace.ts'
import { HeldContacts } from '../steps/held-contacts.ts'
import { Interpolations } from '../steps/interpolation.ts'
import { type ReadStep, STEPS, type StepType, stepOrError } from '../steps/registry.ts'
import type { Batch, DueStep, StepResult } from '../steps/step-definition.ts'
import { ended, endedRun, movedOn, waiting } from './moves.ts'

/**
 * Pauses before the second, third and fourth try of a failed step, in seconds; after the last it has failed permanently.
 */
const RETRY_DELAYS = [1, 5, 25] as const

/** An execution with its changes to write. */
export interface StepOutcome {
  readonly execution: Execution
  readonly runs: readonly StepRun[]
}

/** Runs steps and computes the next state of their executions. */
@injectable()
export class RunSteps {
  readonly #pace = new Pace()
  readonly #interpolations: Interpolations
  /** The stored steps that were reached: each is read once, as long as its graph is in use. */
  readonly #read = new WeakMap<WorkflowStep, ReadStep | EngineError>()

  constructor(
    @inject(Filters) private readonly filters: Filters,
    @inject(CompiledMails) private readonly mails: CompiledMails,
    @inject(Rendering) rendering: Rendering,
    @inject(Links) links: Links,
    @inject(Kit) private readonly kit: Kit,
  ) {
    this.#interpolations = new Interpolations(rendering, links, this.kit.log)
  }

  /** A batch for this transaction. */
  batch(tx: Repositories, now: Date): Batch {
    const written = { emails: [], contents: new Map(), deliveries: [], events: [] }
    return { tx, now, contacts: new HeldContacts(), filters: this.filters, mails: this.mails, ...written }
  }

  /** Runs one step of each, and reads together what contexts of one step need. `open` are step runs begun before. */
  async runEach(
    due: readonly DueStep[],
    batch: Batch,
    open: ReadonlyMap<string, StepRun>,
  ): Promise<readonly StepOutcome[]> {
    const outcomes: StepOutcome[] = []
    for (const [step, group] of Map.groupBy(due, (each) => each.step)) {
      const read = this.#read.get(step) ?? stepOrError(step)
      this.#read.set(step, read)
      const run = EngineError.is(read) ? read : await this.#runOf(read, group, batch)
      for (const each of group) {
        outcomes.push(await this.#pace.run(() => this.#step(each, run, batch, open.get(each.execution.id))))
      }
    }
    return outcomes
  }

  /**
   * The result that the step would have for this contact. Nothing is written, but the contact is locked. Throws what
   * the step throws.
   */
  async tried(due: DueStep, contactId: string, batch: Batch): Promise<StepResult | undefined> {
    await batch.contacts.hold(batch.tx, due.project.id, [contactId])
    const contact = batch.contacts.get(contactId)
    if (contact === undefined) return undefined
    const read = stepOrError(due.step)
    const run = EngineError.is(read) ? read : await this.#runOf(read, [due], batch)
    if (EngineError.is(run)) throw run
    return run(due, contact)
  }

  #step(due: DueStep, runStep: RunDue | EngineError, batch: Batch, open: StepRun | undefined): StepOutcome {
    const { execution, step } = due
    const run = open?.stepId === step.id ? open : this.#begun(due, batch.now)
    const contact = batch.contacts.get(execution.contactId)
    if (contact === undefined) {
      const end = { status: 'CANCELLED', exitReason: 'contact-removed' } as const
      return { execution: ended(execution, end, batch.now), runs: [endedRun(run, 'CANCELLED', batch.now)] }
    }
    try {
      if (EngineError.is(runStep)) throw runStep
      const result = runStep(due, contact)
      write(result, batch)
      return after(due, result, run, batch.now)
    } catch (error) {
      if (!EngineError.is(error)) this.kit.log.error('a step of a workflow broke', { step: step.id, error })
      return failedOutcome(due, run, error, batch.now)
    }
  }

  /** How the step is run for these executions; or the error all of them fail with. */
  async #runOf<Type extends StepType>(
    { type, config }: ReadStep<Type>,
    group: readonly DueStep[],
    batch: Batch,
  ): Promise<RunDue | EngineError> {
    const definition = STEPS[type]
    const { now, contacts } = batch
    const { newId } = this.kit
    const contextOf = (due: DueStep, contact: Contact) => {
      return { ...due, config, contact, now, newId, fill: () => this.#interpolations.of(contact, due.execution) }
    }
    const { run } = definition
    if (run) return (due, contact) => run(contextOf(due, contact))
    const contexts = group.flatMap((due) => {
      const contact = contacts.get(due.execution.contactId)
      return contact ? [contextOf(due, contact)] : []
    })
    try {
      const prepared = await definition.prepare(contexts, batch)
      return (due, contact) => prepared(contextOf(due, contact))
    } catch (error) {
      if (!EngineError.is(error) || error.kind === 'unavailable') throw error
      return error
    }
  }

  #begun({ execution, step }: DueStep, now: Date): StepRun {
    const { id: executionId, projectId, workflowId } = execution
    return {
      id: this.kit.newId(),
      projectId,
      workflowId,
      executionId,
      stepId: step.id,
      status: 'RUNNING',
      startedAt: now,
    }
  }
}

/** Runs the step for one of its executions. */
type RunDue = (due: DueStep, contact: Contact) => StepResult

/** Adds what a step writes to the batch; nothing of a step that failed comes here. */
function write({ writes: { contact, event, mail, delivery } = {} }: StepResult, batch: Batch): void {
  if (contact) batch.contacts.put(contact)
  if (event) batch.events.push(event)
  if (mail) {
    batch.contents.set(mail.content.id, mail.content)
    batch.emails.push(mail.email)
  }
  if (delivery) batch.deliveries.push(delivery)
}

/** The execution after a step that succeeded. */
function after(due: DueStep, result: StepResult, run: StepRun, now: Date): StepOutcome {
  const { execution, graph, step } = due
  switch (result.outcome) {
    case 'done': {
      const runs = [endedRun(run, result.skipped ? 'SKIPPED' : 'COMPLETED', now, { output: result.output })]
      return { execution: movedOn(execution, graph, step.id, result.branch, now), runs }
    }
    case 'wait': {
      const { outcome, output, writes, ...until } = result
      const { error, ...unfinished } = run
      const runs: StepRun[] = [{ ...unfinished, status: 'WAITING', ...(output === undefined ? {} : { output }) }]
      return { execution: waiting(execution, until, now), runs }
    }
    case 'exit': {
      const { reason } = result
      const end = { status: 'EXITED', ...(reason === undefined ? {} : { exitReason: reason }) } as const
      const output = reason === undefined ? undefined : { reason }
      return { execution: ended(execution, end, now), runs: [endedRun(run, 'COMPLETED', now, { output })] }
    }
  }
}

/** The execution after a step that failed: another try after a pause, or the end. */
function failedOutcome({ execution, step }: DueStep, run: StepRun, cause: unknown, now: Date): StepOutcome {
  const error = EngineError.is(cause) ? cause.message : 'an unexpected error'
  // what a step refuses of its own values it would refuse again
  const isFinal = EngineError.is(cause) && cause.kind === 'invalid'
  const pause = isFinal ? undefined : RETRY_DELAYS[execution.attempts]
  if (pause === undefined) {
    const end = { status: 'FAILED', error: `${step.name}: ${error}` } as const
    return { execution: ended(execution, end, now), runs: [endedRun(run, 'FAILED', now, { error })] }
  }
  const dueAt = new Date(now.getTime() + pause * 1000)
  return {
    execution: { ...execution, status: 'RUNNING', dueAt, attempts: execution.attempts + 1, updatedAt: now },
    runs: [{ ...run, status: 'RUNNING', error }],
  }
}
