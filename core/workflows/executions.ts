import * as v from 'valibot'
import { DATA_LIMITS, dataObject } from '../contacts/data-limits.ts'
import { EngineError, type FieldProblem } from '../errors.ts'
import type { Kit } from '../kit.ts'
import { type ContactExecution, EXECUTION_STATUSES, type Execution } from '../ports/store/executions.ts'
import type { Project } from '../ports/store/projects.ts'
import { STEP_RUN_STATUSES, type StepRun } from '../ports/store/step-runs.ts'
import type { Store } from '../ports/store/store.ts'
import type { WorkflowGraph } from '../ports/store/workflows.ts'
import { requireEnabled } from '../projects/project.ts'
import { isId } from '../values/id.ts'
import type { InputOf, UntrustedInput } from '../values/input.ts'
import type { CursorInput, PageInput } from '../values/page.ts'
import {
  CursorQuery,
  type NumberedPage,
  numberedPage,
  type Page,
  PageQuery,
  pageOf,
  pageRequest,
} from '../values/page.ts'
import { parse } from '../values/parse.ts'
import { shownId } from '../values/shown-id.ts'
import { TrueOrFalse } from '../values/true-or-false.ts'
import { type Doorbell, TOPICS } from '../work/doorbell.ts'
import { executionOf } from './dispatch/start-executions.ts'
import type { RunSteps } from './run/run-steps.ts'
import { type TriedStep, type TryStepInput, tryStep } from './run/try-step.ts'

export const StartExecution = v.object({
  /** The contact that runs it. */
  contactId: v.string(),
  /** Values its steps can use as `context.*`. */
  context: v.nullish(dataObject(DATA_LIMITS.eventBytes)),
})

export const ListExecutions = v.object({
  ...PageQuery.entries,
  /** Only executions with this status. */
  status: v.optional(v.picklist(EXECUTION_STATUSES)),
  /** Only executions that are on this step now. */
  standingOn: v.optional(v.string()),
  /** True: only executions that the goal of the workflow ended. */
  goalReached: v.optional(TrueOrFalse),
  /** Only executions that came through this step, as `stepStatus` says. */
  stepId: v.optional(v.string()),
  /** The status of the run of `stepId`. */
  stepStatus: v.optional(v.picklist(STEP_RUN_STATUSES)),
})

export const ListContactExecutions = v.object({
  ...CursorQuery.entries,
  /** Only executions with this status. */
  status: v.optional(v.picklist(EXECUTION_STATUSES)),
})

/** The contact to run a workflow, and its context. */
export interface StartExecutionInput extends InputOf<typeof StartExecution> {}

/** Narrows and pages a list of executions. */
export interface ListExecutionsInput extends PageInput, Omit<InputOf<typeof ListExecutions>, keyof PageInput> {}

/** Narrows and pages the executions of a contact. */
export interface ListContactExecutionsInput
  extends CursorInput,
    Omit<InputOf<typeof ListContactExecutions>, keyof CursorInput> {}

/** The filters that the list cannot be narrowed by at once: each has its own order. */
function wrongFilter({
  status,
  standingOn,
  stepId,
  stepStatus,
  goalReached,
}: Partial<v.InferOutput<typeof ListExecutions>>) {
  const problem = (field: string, message: string): FieldProblem[] => [{ field, code: 'custom', message }]
  if (stepId !== undefined && stepStatus === undefined) return problem('stepStatus', 'is required with stepId')
  if (stepId === undefined && stepStatus !== undefined) return problem('stepId', 'is required with stepStatus')
  const given = Object.entries({ status, standingOn, stepId, goalReached }).flatMap(([name, value]) =>
    value ? [name] : [],
  )
  const [first = '', second] = given
  return second === undefined ? [] : problem(second, `cannot be given together with ${first}`)
}

/** How many executions one transaction cancels. */
const BATCH = 500

/** An execution with its step runs, in order. */
export interface ExecutionDetail {
  /** The execution. */
  readonly execution: Execution
  /** The steps that it came to, in order. */
  readonly steps: readonly StepRun[]
}

/** An execution in the list of a contact. */
export interface ListedContactExecution extends ContactExecution {
  /** Since when it is on its step; undefined while the step has not begun. */
  readonly onStepSince?: Date
}

/** The executions of workflows. */
export class Executions {
  constructor(
    private readonly store: Store,
    private readonly doorbell: Doorbell,
    private readonly steps: RunSteps,
    private readonly kit: Kit,
  ) {}

  /**
   * Starts an enabled workflow for `{ contactId, context? }`, whatever its trigger is. Throws EngineError
   * `WORKFLOW_NOT_FOUND`, `CONTACT_NOT_FOUND`, `CONFLICT` (disabled, or the contact may not run it again or is in it),
   * `VALIDATION_ERROR`, `PROJECT_DISABLED`.
   */
  async start(
    project: Project,
    workflowId: string,
    input: StartExecutionInput | UntrustedInput,
  ): Promise<ExecutionDetail> {
    requireEnabled(project)
    const { contactId, context } = parse(StartExecution, input)
    if (!isId(workflowId)) throw noWorkflow(workflowId)
    const execution = await this.store.transaction(async (tx) => {
      const graph = await tx.workflows.graph(project.id, workflowId)
      if (graph === undefined) throw noWorkflow(workflowId)
      if (!graph.workflow.enabled) throw notEnabled(graph)
      const contact = isId(contactId) ? await tx.contacts.lock(project.id, contactId) : undefined
      if (contact === undefined)
        throw new EngineError('CONTACT_NOT_FOUND', `There is no contact ${shownId(contactId)}.`)
      const made = executionOf({ graph, contactId, context: context ?? {} }, this.kit.newId, this.kit.now())
      if (made === undefined) throw notEnabled(graph)
      const started = await tx.executions.start([made])
      if (!started.has(made.id)) throw refusedEntry(graph)
      return made
    })
    this.doorbell.ring(TOPICS.workflows)
    return { execution, steps: [] }
  }

  /**
   * One page of a workflow's executions with their steps; `status` narrows it. Throws EngineError `WORKFLOW_NOT_FOUND`,
   * `VALIDATION_ERROR`, `BAD_REQUEST` (cursor).
   */
  async list(
    project: Project,
    workflowId: string,
    query: ListExecutionsInput | UntrustedInput = {},
  ): Promise<NumberedPage<ExecutionDetail>> {
    const { status, standingOn, stepId, stepStatus, goalReached, ...asked } = parse(ListExecutions, query, wrongFilter)
    await this.#requireWorkflow(project, workflowId)
    const step = stepId ?? standingOn
    // an id that is none is of no step
    const known = step === undefined || isId(step) ? step : project.id
    const filter = {
      ...(status ? { status } : {}),
      ...(goalReached ? { goalReached } : {}),
      ...(standingOn === undefined || known === undefined ? {} : { standingOn: known }),
      ...(stepStatus === undefined || known === undefined ? {} : { ran: { stepId: known, status: stepStatus } }),
    }
    const { executions, stepRuns } = this.store
    const { items, ...page } = await numberedPage(
      { projectId: project.id, name: `executions:${workflowId}` },
      asked,
      (request) => executions.page(project.id, workflowId, filter, request),
      () => executions.count(project.id, workflowId, filter),
    )
    const runs = await stepRuns.of(
      project.id,
      items.map(({ id }) => id),
    )
    const byExecution = Map.groupBy(runs, ({ executionId }) => executionId)
    return { items: items.map((execution) => ({ execution, steps: byExecution.get(execution.id) ?? [] })), ...page }
  }

  /**
   * One page of a contact's executions in all workflows, newest first; `status` narrows it. Throws EngineError
   * `CONTACT_NOT_FOUND`, `VALIDATION_ERROR`, `BAD_REQUEST` (cursor).
   */
  async ofContact(
    project: Project,
    contactId: string,
    query: ListContactExecutionsInput | UntrustedInput = {},
  ): Promise<Page<ListedContactExecution>> {
    const { status, ...asked } = parse(ListContactExecutions, query)
    const { contacts, executions, stepRuns } = this.store
    if (!isId(contactId) || !(await contacts.find(project.id, contactId))) {
      throw new EngineError('CONTACT_NOT_FOUND', `There is no contact ${shownId(contactId)}.`)
    }
    const filter = status ? { status } : {}
    const list = { projectId: project.id, name: `executions of ${contactId}` }
    const page = pageRequest(list, asked)
    const found = await executions.ofContact(project.id, contactId, filter, page)
    const total = page.after ? 0 : await executions.countOfContact(project.id, contactId, filter)
    const standing = found.filter(({ step }) => step !== undefined).map(({ id }) => id)
    const runs = standing.length === 0 ? [] : await stepRuns.open(project.id, standing)
    const rows = found.map((each) => {
      const run = runs.find(({ executionId, stepId }) => executionId === each.id && stepId === each.step?.id)
      return run ? { ...each, onStepSince: run.startedAt } : each
    })
    return pageOf(list, rows, asked.limit, total, ({ id }) => ({ value: '', id }))
  }

  /** The execution with its steps. Throws EngineError `WORKFLOW_NOT_FOUND`, `EXECUTION_NOT_FOUND`. */
  async get(project: Project, workflowId: string, id: string): Promise<ExecutionDetail> {
    await this.#requireWorkflow(project, workflowId)
    const execution = isId(id) ? await this.store.executions.find(project.id, workflowId, id) : undefined
    if (execution === undefined) throw noExecution(id)
    return { execution, steps: await this.store.stepRuns.of(project.id, [id]) }
  }

  /**
   * The result that a step that decides would have now for the contact of `{ contactId | email, context?, event? }`:
   * its branch, until when it waits, whether its mail is skipped. Nothing is written. Throws EngineError
   * `WORKFLOW_NOT_FOUND`, `STEP_NOT_FOUND`, `CONTACT_NOT_FOUND`, `BAD_REQUEST` for a step that decides nothing,
   * `VALIDATION_ERROR`, also with what the step would fail with.
   */
  tryStep(
    project: Project,
    workflowId: string,
    stepId: string,
    input: TryStepInput | UntrustedInput,
  ): Promise<TriedStep> {
    return tryStep({ store: this.store, steps: this.steps, kit: this.kit }, project, workflowId, stepId, input)
  }

  /**
   * Ends a RUNNING or WAITING execution: it takes no further step. Throws EngineError `WORKFLOW_NOT_FOUND`,
   * `EXECUTION_NOT_FOUND`, `CONFLICT` when it has ended, `PROJECT_DISABLED`.
   */
  async cancel(project: Project, workflowId: string, id: string): Promise<ExecutionDetail> {
    requireEnabled(project)
    const { execution } = await this.get(project, workflowId, id)
    const [cancelled] = await this.store.executions.cancel(project.id, [id], this.kit.now())
    if (cancelled) return { execution: cancelled, steps: await this.store.stepRuns.of(project.id, [id]) }
    const { status } = (await this.get(project, workflowId, execution.id)).execution
    throw new EngineError(
      'CONFLICT',
      `This execution is ${status} already; only a running or waiting one can be cancelled.`,
    )
  }

  /**
   * Ends every active execution of the workflow; answers how many. Throws EngineError `WORKFLOW_NOT_FOUND`,
   * `PROJECT_DISABLED`.
   */
  async cancelAll(project: Project, workflowId: string): Promise<number> {
    requireEnabled(project)
    await this.#requireWorkflow(project, workflowId)
    let cancelled = 0
    let after: string | undefined
    for (;;) {
      const active = await this.store.executions.active(project.id, workflowId, BATCH, after)
      const ids = active.map(({ id }) => id)
      if (ids.length > 0) cancelled += (await this.store.executions.cancel(project.id, ids, this.kit.now())).length
      after = ids.at(-1)
      if (ids.length < BATCH) return cancelled
    }
  }

  async #requireWorkflow(project: Project, id: string): Promise<void> {
    if (!isId(id) || !(await this.store.workflows.find(project.id, id))) throw noWorkflow(id)
  }
}

function noWorkflow(id: string): EngineError {
  return new EngineError('WORKFLOW_NOT_FOUND', `There is no workflow ${shownId(id)}.`)
}

function noExecution(id: string): EngineError {
  return new EngineError('EXECUTION_NOT_FOUND', `There is no execution ${shownId(id)} of this workflow.`)
}

function notEnabled({ workflow }: WorkflowGraph): EngineError {
  return new EngineError('CONFLICT', `The workflow "${workflow.name}" is not enabled.`, {
    suggestion: 'Enable it with PATCH {"enabled": true}.',
  })
}

function refusedEntry({ workflow }: WorkflowGraph): EngineError {
  const why = workflow.allowReentry ? 'is in this workflow now' : 'has run this workflow, which allows no re-entry'
  return new EngineError('CONFLICT', `The contact ${why}.`)
}
