import type { Execution } from '../../ports/store/executions.ts'
import type { StepRun } from '../../ports/store/step-runs.ts'
import type { Branch, WorkflowGraph, WorkflowStep } from '../../ports/store/workflows.ts'
import type { JsonObject } from '../../values/json.ts'

/**
 * The next step, by the transition of this branch, or the one without a branch, which takes all. There is at most one of
 * them: `linkProblem` refuses a second. Undefined: the execution ends here.
 */
function nextStep({ steps, transitions }: WorkflowGraph, stepId: string, branch?: Branch): WorkflowStep | undefined {
  const next = transitions.find((each) => each.fromStepId === stepId && (each.branch ?? branch) === branch)
  return next && steps.find(({ id }) => id === next.toStepId)
}

/** The execution after this step: due on the next one, or COMPLETED when there is none. */
export function movedOn(
  execution: Execution,
  graph: WorkflowGraph,
  stepId: string,
  branch: Branch | undefined,
  now: Date,
): Execution {
  const next = nextStep(graph, stepId, branch)
  if (next === undefined) return ended(execution, { status: 'COMPLETED' }, now)
  const { dueAt, waitingFor, error, ...rest } = execution
  return { ...rest, status: 'RUNNING', currentStepId: next.id, dueAt: now, attempts: 0, updatedAt: now }
}

/** The execution while it waits on its step: until `dueAt`, for an event, or for an answer. */
export function waiting(
  execution: Execution,
  until: { readonly dueAt?: Date; readonly waitingFor?: string },
  now: Date,
): Execution {
  const { dueAt, waitingFor, error, ...rest } = execution
  return { ...rest, status: 'WAITING', ...until, attempts: 0, updatedAt: now }
}

/** The execution after its end. */
export function ended(
  execution: Execution,
  end: {
    readonly status: 'COMPLETED' | 'EXITED' | 'FAILED' | 'CANCELLED'
    readonly exitReason?: string
    readonly goalAt?: Date
    readonly error?: string
  },
  now: Date,
): Execution {
  const { dueAt, waitingFor, error, ...rest } = execution
  return { ...rest, ...end, completedAt: now, updatedAt: now }
}

/** The step run after its end. */
export function endedRun(
  run: StepRun,
  status: 'COMPLETED' | 'SKIPPED' | 'FAILED' | 'CANCELLED',
  now: Date,
  { output, error }: { readonly output?: JsonObject | undefined; readonly error?: string } = {},
): StepRun {
  const { error: earlier, ...rest } = run
  return {
    ...rest,
    status,
    ...(output === undefined ? {} : { output }),
    ...(error === undefined ? {} : { error }),
    completedAt: now,
  }
}
