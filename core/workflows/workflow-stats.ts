import { EXECUTION_STATUSES, type ExecutionStatus } from '../ports/store/executions.ts'
import type { StepRunStatus } from '../ports/store/step-runs.ts'
import type { Repositories } from '../ports/store/store.ts'
import type { KnownGraph, KnownStep } from './steps/registry.ts'

/** How many contacts came to a step, and the results there. */
interface StepStats {
  readonly step: KnownStep
  /** How many are on it now. */
  readonly active: number
  /** How often it was reached. */
  readonly total: number
  readonly byStatus: Readonly<Partial<Record<StepRunStatus, number>>>
}

/** The executions of a workflow, counted. */
export interface WorkflowStats {
  /** How many executions there are in all. */
  readonly total: number
  /** How many of each status. */
  readonly byStatus: Readonly<Record<ExecutionStatus, number>>
  /** How many of the EXITED ones the goal ended. */
  readonly goalReached: number
  /** How many stand at each step, and how often it was reached. */
  readonly steps: readonly StepStats[]
}

/** Counts the executions of a workflow by status, and by step. */
export async function workflowStats(
  { executions, stepRuns }: Pick<Repositories, 'executions' | 'stepRuns'>,
  { workflow: { projectId, id }, steps }: KnownGraph,
): Promise<WorkflowStats> {
  const byStatus = { RUNNING: 0, WAITING: 0, COMPLETED: 0, EXITED: 0, FAILED: 0, CANCELLED: 0 }
  for (const status of EXECUTION_STATUSES) byStatus[status] = await executions.count(projectId, id, { status })
  const activeByStep = await executions.standingOn(projectId, id)
  const counts = Map.groupBy(await stepRuns.counts(projectId, id), ({ stepId }) => stepId)
  return {
    total: sum(Object.values(byStatus)),
    byStatus,
    goalReached: byStatus.EXITED === 0 ? 0 : await executions.count(projectId, id, { goalReached: true }),
    steps: steps.map((step) => {
      const ofStep = counts.get(step.id) ?? []
      return {
        step,
        active: activeByStep.get(step.id) ?? 0,
        total: sum(ofStep.map(({ count }) => count)),
        byStatus: Object.fromEntries(ofStep.map(({ status, count }) => [status, count])),
      }
    }),
  }
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}
