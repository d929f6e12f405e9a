import type { JsonObject } from '../../values/json.ts'
import type { NumberedRequest, PageRequest } from '../../values/page.ts'
import type { ProjectId } from '../../values/project-id.ts'
import type { ClaimLease, Interrupted } from './interrupted.ts'
import type { StepRun, StepRunStatus } from './step-runs.ts'

export const EXECUTION_STATUSES = ['RUNNING', 'WAITING', 'COMPLETED', 'EXITED', 'FAILED', 'CANCELLED'] as const
export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number]

/** One contact's way through a workflow. */
export interface Execution {
  /** A UUID (version 7): those made later sort after those made before. */
  readonly id: string
  /** The project that it belongs to. */
  readonly projectId: ProjectId
  /** The workflow. */
  readonly workflowId: string
  /** The contact that goes through it. */
  readonly contactId: string
  /** Whether it runs, waits, or how it ended. */
  readonly status: ExecutionStatus
  /** The step it is on. */
  readonly currentStepId?: string
  /** Why it ended early: the reason of an EXIT step, `goal`, or `contact-removed`. */
  readonly exitReason?: string
  /** Why it has FAILED. */
  readonly error?: string
  /** Variables given when it was started. */
  readonly context: JsonObject
  /** The event that started it; a workflow has at most one execution per event. */
  readonly eventId?: string
  /** The data of that event, or of the last one it waited for. */
  readonly event: JsonObject
  /** True when the contact may never run this workflow again (no re-entry). */
  readonly once: boolean
  /** When it is due: at once, or when a delay or a time-out ends; absent: only an event or an answer continues it. */
  readonly dueAt?: Date
  /** The event it waits for. */
  readonly waitingFor?: string
  /** How often the current step was tried. */
  readonly attempts: number
  /** When the contact entered. */
  readonly startedAt: Date
  /** When it ended; absent before. */
  readonly completedAt?: Date
  /** When its contact reached the goal of the workflow, which ended it. */
  readonly goalAt?: Date
  /** When its event data and its steps' results were removed. */
  readonly redactedAt?: Date
  /** When it last changed; at first, when it was made. */
  readonly updatedAt: Date
}

/** An execution in the list of a contact, with the names of its workflow and its step; without its variables. */
export interface ContactExecution
  extends Pick<
    Execution,
    'id' | 'workflowId' | 'status' | 'exitReason' | 'error' | 'startedAt' | 'completedAt' | 'updatedAt'
  > {
  /** The name of the workflow, as it is now. */
  readonly workflowName: string
  /** The step it is on or ended at, unless that was deleted. */
  readonly step?: { readonly id: string; readonly type: string; readonly name: string }
}

/** An execution claimed by a worker. */
export interface ClaimedExecution extends Execution, Interrupted {
  readonly token: string
}

/** Stores executions. Every call takes a few statements, however many rows it concerns. */
export interface ExecutionRepository {
  find(projectId: ProjectId, workflowId: string, id: string): Promise<Execution | undefined>
  /** Up to `limit + 1`, newest first (by id); `offset` skips rows of a numbered page. */
  page(
    projectId: ProjectId,
    workflowId: string,
    filter: ExecutionsFilter,
    page: NumberedRequest,
  ): Promise<readonly Execution[]>
  count(projectId: ProjectId, workflowId: string, filter: ExecutionsFilter): Promise<number>
  /** The executions of a contact in all workflows: up to `limit + 1`, newest first (by id). */
  ofContact(
    projectId: ProjectId,
    contactId: string,
    filter: ExecutionFilter,
    page: PageRequest,
  ): Promise<readonly ContactExecution[]>
  countOfContact(projectId: ProjectId, contactId: string, filter: ExecutionFilter): Promise<number>
  /**
   * Starts executions and answers the ids of those that were started. Left out are: a second one for the same event and
   * workflow, one of a `once` workflow that the contact has ever run, one of a workflow the contact is in now, and
   * those of contacts that do not exist. Of several for one contact the first in the list wins. Holds under
   * concurrency.
   */
  start(executions: readonly Execution[]): Promise<ReadonlySet<string>>
  /**
   * Claims up to `limit` due executions, of all projects, under a lease; the longest due first. Status and `dueAt`
   * stay, so a WAITING one is one whose time has come. One whose lease has run out is claimed again.
   */
  claimDue(now: Date, limit: number, lease: ClaimLease): Promise<readonly ClaimedExecution[]>
  /**
   * Writes executions with their step runs (by id, inserted or overwritten), each only while it has its token, and ends
   * the lease; answers the ids written. Each execution is given once.
   */
  advance(
    moves: readonly { readonly execution: Execution; readonly token: string; readonly runs: readonly StepRun[] }[],
  ): Promise<ReadonlySet<string>>
  /** WAITING executions of these contacts that wait for these events, locked until the transaction ends. */
  waitingFor(
    projectId: ProjectId,
    pairs: readonly { readonly contactId: string; readonly eventName: string }[],
  ): Promise<readonly Execution[]>
  /**
   * Writes executions without a lease (woken by an event or an answer, cancelled), each only if its status and step are
   * still those of `from`; answers the ids written. Ends any lease, so that its worker can no longer write the
   * execution. Each execution is given once.
   */
  wake(
    moves: readonly { readonly from: Execution; readonly to: Execution; readonly runs: readonly StepRun[] }[],
  ): Promise<ReadonlySet<string>>
  /**
   * Makes active executions CANCELLED at `now`, with their open step runs, even under a lease: the lease ends, so that
   * the worker's `advance` skips them. Answers those that were active, as they are now.
   */
  cancel(projectId: ProjectId, ids: readonly string[], now: Date): Promise<readonly Execution[]>
  /** At start with an exclusive store: voids leases of executions that end before that date. Answers how many. */
  expireLeases(before: Date): Promise<number>
  /** The active executions of a workflow, a page by id, for cancelling them. */
  active(projectId: ProjectId, workflowId: string, limit: number, after?: string): Promise<readonly Execution[]>
  /** How many active executions are on each step. */
  standingOn(projectId: ProjectId, workflowId: string): Promise<ReadonlyMap<string, number>>
  /** When the next execution without a lease is due. */
  nextDue(): Promise<Date | undefined>
}

export interface ExecutionFilter {
  readonly status?: ExecutionStatus
}

/** Narrows the executions of one workflow: by one of these. */
export interface ExecutionsFilter extends ExecutionFilter {
  /** Those that are on this step now. */
  readonly standingOn?: string
  /** Those that the goal ended. */
  readonly goalReached?: true
  /** Those that had a run of a step that came to this. */
  readonly ran?: { readonly stepId: string; readonly status: StepRunStatus }
}
