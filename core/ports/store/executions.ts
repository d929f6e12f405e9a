import type { JsonObject } from '../../values/json.ts'
import type { NumberedRequest } from '../../values/page.ts'
import type { ProjectId } from '../../values/project-id.ts'
import type { StepRun } from './step-runs.ts'

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

/** An execution as a worker holds it. */
export interface ClaimedExecution extends Execution {
  readonly token: string
}

/** The ways of contacts through workflows. Every call is a few statements, however many rows it concerns. */
export interface ExecutionRepository {
  find(projectId: ProjectId, workflowId: string, id: string): Promise<Execution | undefined>
  /** Up to `limit + 1`, newest first (by id); `offset` skips rows of a numbered page. */
  page(
    projectId: ProjectId,
    workflowId: string,
    filter: ExecutionFilter,
    page: NumberedRequest,
  ): Promise<readonly Execution[]>
  count(projectId: ProjectId, workflowId: string, filter: ExecutionFilter): Promise<number>
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
  /** When the next execution is due that is under no lease. */
  nextDue(): Promise<Date | undefined>
}

export interface ExecutionFilter {
  readonly status?: ExecutionStatus
}
