import type { JsonObject } from '../../values/json.ts'
import type { NumberedRequest } from '../../values/page.ts'
import type { ProjectId } from '../../values/project-id.ts'

export const TRIGGER_TYPES = ['EVENT', 'MANUAL'] as const
export type TriggerType = (typeof TRIGGER_TYPES)[number]

/** A graph of steps that contacts run through. */
export interface Workflow {
  readonly id: string
  readonly projectId: ProjectId
  readonly name: string
  readonly description?: string
  readonly enabled: boolean
  readonly triggerType: TriggerType
  /** The event that starts it; of MANUAL workflows it may be missing. */
  readonly eventName?: string
  readonly allowReentry: boolean
  readonly createdAt: Date
  readonly updatedAt: Date
}

export const STEP_TYPES = [
  'TRIGGER',
  'SEND_EMAIL',
  'DELAY',
  'WAIT_FOR_EVENT',
  'CONDITION',
  'WEBHOOK',
  'UPDATE_CONTACT',
  'EXIT',
] as const
export type StepType = (typeof STEP_TYPES)[number]

export interface WorkflowStep {
  readonly id: string
  readonly projectId: ProjectId
  readonly workflowId: string
  readonly type: StepType
  readonly name: string
  readonly position: { readonly x: number; readonly y: number }
  /** As it was checked for the type. */
  readonly config: JsonObject
  readonly templateId?: string
  readonly createdAt: Date
}

export const BRANCHES = ['yes', 'no', 'event', 'timeout'] as const
export type Branch = (typeof BRANCHES)[number]

export interface WorkflowTransition {
  readonly id: string
  readonly projectId: ProjectId
  readonly workflowId: string
  readonly fromStepId: string
  readonly toStepId: string
  readonly branch?: Branch
  readonly priority: number
  /** Drawn by itself when the step it leads to was added: it gives way to one that somebody draws. */
  readonly automatic?: boolean
}

/** A workflow with its steps (the trigger first, then as they were made) and transitions. */
export interface WorkflowGraph {
  readonly workflow: Workflow
  readonly steps: readonly WorkflowStep[]
  readonly transitions: readonly WorkflowTransition[]
}

export const EXECUTION_STATUSES = ['RUNNING', 'WAITING', 'COMPLETED', 'EXITED', 'FAILED', 'CANCELLED'] as const
export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number]

/** One contact's way through a workflow. */
export interface Execution {
  readonly id: string
  readonly projectId: ProjectId
  readonly workflowId: string
  readonly contactId: string
  readonly status: ExecutionStatus
  /** The step it stands on. */
  readonly currentStepId?: string
  readonly exitReason?: string
  /** Why it has FAILED. */
  readonly error?: string
  /** Variables given when it was started. */
  readonly context: JsonObject
  /** The event that started it; a workflow has one execution of an event. */
  readonly eventId?: string
  /** The data of that event, or of the one last waited for. */
  readonly event: JsonObject
  /** True: the contact may never run this workflow again (no re-entry). */
  readonly once: boolean
  /** When it is to be worked on: at once, or when a delay or a time-out ends; missing: only an event or an answer moves it. */
  readonly dueAt?: Date
  /** The event it waits for. */
  readonly waitingFor?: string
  /** How often the current step was tried. */
  readonly attempts: number
  readonly startedAt: Date
  readonly completedAt?: Date
  /** When what it was told and what its steps answered were removed. */
  readonly redactedAt?: Date
  readonly updatedAt: Date
}

export const STEP_RUN_STATUSES = ['RUNNING', 'WAITING', 'COMPLETED', 'SKIPPED', 'FAILED', 'CANCELLED'] as const
export type StepRunStatus = (typeof STEP_RUN_STATUSES)[number]

/** One execution's stay on one step. */
export interface StepRun {
  readonly id: string
  readonly projectId: ProjectId
  readonly workflowId: string
  readonly executionId: string
  readonly stepId: string
  readonly status: StepRunStatus
  readonly output?: JsonObject
  readonly error?: string
  readonly startedAt: Date
  readonly completedAt?: Date
}

/** An execution as a worker holds it. */
export interface ClaimedExecution extends Execution {
  readonly token: string
}

export interface ExecutionFilter {
  readonly status?: ExecutionStatus
}

export interface WorkflowRepository {
  find(projectId: ProjectId, id: string): Promise<Workflow | undefined>
  /** As `find`, inside a transaction: nobody else changes the workflow or its graph until it ends. */
  lock(projectId: ProjectId, id: string): Promise<Workflow | undefined>
  /** Up to `limit + 1`, newest first (by id); `offset` skips rows of a numbered page. */
  page(projectId: ProjectId, page: NumberedRequest): Promise<readonly Workflow[]>
  count(projectId: ProjectId): Promise<number>
  /** The workflow with its steps and transitions. */
  graph(projectId: ProjectId, id: string): Promise<WorkflowGraph | undefined>
  /** Every workflow of the project with its graph, for finding what refers to something. */
  graphs(projectId: ProjectId): Promise<readonly WorkflowGraph[]>
  insert(graph: WorkflowGraph): Promise<void>
  /** Writes every field of the workflow. */
  update(workflow: Workflow): Promise<boolean>
  /** Removes it with its graph, executions and step runs. */
  remove(projectId: ProjectId, id: string): Promise<boolean>
  insertStep(step: WorkflowStep): Promise<void>
  updateStep(step: WorkflowStep): Promise<boolean>
  /** Removes the step and its transitions. */
  removeStep(projectId: ProjectId, workflowId: string, stepId: string): Promise<boolean>
  insertTransition(transition: WorkflowTransition): Promise<void>
  removeTransition(projectId: ProjectId, workflowId: string, id: string): Promise<boolean>

  /** Enabled workflows of the project that this event starts, with their graphs. */
  startedBy(projectId: ProjectId, eventName: string): Promise<readonly WorkflowGraph[]>

  findExecution(projectId: ProjectId, workflowId: string, id: string): Promise<Execution | undefined>
  executions(
    projectId: ProjectId,
    workflowId: string,
    filter: ExecutionFilter,
    page: NumberedRequest,
  ): Promise<readonly Execution[]>
  countExecutions(projectId: ProjectId, workflowId: string, filter: ExecutionFilter): Promise<number>
  /** The step runs of these executions, in their order. */
  stepRuns(projectId: ProjectId, executionIds: readonly string[]): Promise<readonly StepRun[]>
  /**
   * Starts executions, leaving out those the rules forbid: an event and workflow that has one already, a contact that
   * has run a `once` workflow ever, or that is in a workflow now; and those of contacts that are not there. Of several of
   * one contact the first given wins. Holds when many try at once. Answers the ids started.
   */
  start(executions: readonly Execution[]): Promise<ReadonlySet<string>>
  /**
   * Takes up to `limit` executions that are due, of all projects, under a lease; the longest due first. Status and `dueAt`
   * stay: a WAITING one is one whose time has come. One whose lease has run out is taken again.
   */
  claimDue(
    now: Date,
    limit: number,
    lease: { readonly token: string; readonly until: Date },
  ): Promise<readonly ClaimedExecution[]>
  /**
   * Writes executions as they are now with their step runs (by id, inserted or written over), each only while it is under
   * its token; answers the ids written. The lease ends. Each execution is given once.
   */
  advance(
    moves: readonly { readonly execution: Execution; readonly token: string; readonly runs: readonly StepRun[] }[],
  ): Promise<ReadonlySet<string>>
  /** WAITING executions of these contacts that wait for these events, held until the transaction ends. */
  waitingFor(
    projectId: ProjectId,
    pairs: readonly { readonly contactId: string; readonly eventName: string }[],
  ): Promise<readonly Execution[]>
  /**
   * Writes executions without holding a lease (woken by an event or an answer, cancelled), each only if it still is in the
   * status and on the step of `from`; answers the ids written. A lease it is under ends, so that whoever works on it can no
   * longer write it. Each execution is given once.
   */
  wake(
    moves: readonly { readonly from: Execution; readonly to: Execution; readonly runs: readonly StepRun[] }[],
  ): Promise<ReadonlySet<string>>
  /** The step runs of these executions that have not ended (RUNNING or WAITING). */
  openRuns(projectId: ProjectId, executionIds: readonly string[]): Promise<readonly StepRun[]>
  /**
   * Makes active executions CANCELLED at `now`, with their open step runs, also those under a lease: it breaks, so that
   * their worker's `advance` leaves them out. Answers those that were active, as they are now.
   */
  cancel(projectId: ProjectId, ids: readonly string[], now: Date): Promise<readonly Execution[]>
  /** At start with an exclusive store: leases of executions that end before that date are void. Answers how many. */
  expireLeases(before: Date): Promise<number>
  /** The active executions of a workflow, a page by id, for cancelling them. */
  active(projectId: ProjectId, workflowId: string, limit: number, after?: string): Promise<readonly Execution[]>
  /** How many active executions stand on each step. */
  standingOn(projectId: ProjectId, workflowId: string): Promise<ReadonlyMap<string, number>>
  /** How many step runs each step had, by status. */
  stepCounts(
    projectId: ProjectId,
    workflowId: string,
  ): Promise<readonly { readonly stepId: string; readonly status: StepRunStatus; readonly count: number }[]>
  /** When the next execution is due that is under no lease. */
  nextDue(): Promise<Date | undefined>
}
