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
