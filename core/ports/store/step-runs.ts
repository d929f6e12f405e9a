import type { JsonObject } from '../../values/json.ts'
import type { ProjectId } from '../../values/project-id.ts'

/** The steps that executions went through. */
export interface StepRunRepository {
  /** The step runs of these executions, in order. */
  of(projectId: ProjectId, executionIds: readonly string[]): Promise<readonly StepRun[]>
  /** The step runs of these executions that have not ended (RUNNING or WAITING). */
  open(projectId: ProjectId, executionIds: readonly string[]): Promise<readonly StepRun[]>
  /** How many step runs each step had, by status. */
  counts(
    projectId: ProjectId,
    workflowId: string,
  ): Promise<readonly { readonly stepId: string; readonly status: StepRunStatus; readonly count: number }[]>
}

export const STEP_RUN_STATUSES = ['RUNNING', 'WAITING', 'COMPLETED', 'SKIPPED', 'FAILED', 'CANCELLED'] as const
export type StepRunStatus = (typeof STEP_RUN_STATUSES)[number]

/** One run of a step by an execution. */
export interface StepRun {
  /** A UUID (version 7): those made later sort after those made before. */
  readonly id: string
  /** The project that it belongs to. */
  readonly projectId: ProjectId
  /** The workflow. */
  readonly workflowId: string
  /** The execution that it belongs to. */
  readonly executionId: string
  /** The step that was run. */
  readonly stepId: string
  /** Whether it runs, waits, or how it ended. */
  readonly status: StepRunStatus
  /** Its result, such as the branch that was taken. */
  readonly output?: JsonObject
  /** Why it failed; of failed ones. */
  readonly error?: string
  /** When the contact came to the step. */
  readonly startedAt: Date
  /** When it ended; absent before. */
  readonly completedAt?: Date
}
