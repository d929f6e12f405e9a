import type { StepRun } from '../../core/ports/store/step-runs.ts'
import type { Workflow, WorkflowGraph, WorkflowStep, WorkflowTransition } from '../../core/ports/store/workflows.ts'
import { hiddenConfig } from '../../core/webhooks/hidden-secrets.ts'
import type { ExecutionDetail, ListedContactExecution } from '../../core/workflows/executions.ts'
import type { TriedStep } from '../../core/workflows/run/try-step.ts'
import type { WorkflowStats } from '../../core/workflows/workflow-stats.ts'
import type { Wire } from '../schemas/parts.ts'
import type {
  ContactExecutionRecord,
  ExecutionRecord,
  ListedWorkflow,
  StepRecord,
  TransitionRecord,
  TriedStepRecord,
  WorkflowFigures,
  WorkflowRecord,
} from '../schemas/workflows.ts'

// Workflows in the form of answers, like the records of wire.ts.

/** A workflow without its steps and transitions. */
export function workflowOnWire(workflow: Workflow): Wire<typeof ListedWorkflow> {
  const { id, name, description, enabled, triggerType, allowReentry, goalEvent, version, createdAt, updatedAt } =
    workflow
  const triggerConfig = triggerConfigOf(workflow)
  const goal = goalEvent === undefined ? undefined : { eventName: goalEvent }
  return {
    id,
    name,
    description,
    enabled,
    triggerType,
    triggerConfig,
    allowReentry,
    goal,
    version,
    createdAt,
    updatedAt,
  }
}

/** A workflow with its steps and transitions; the trigger's config is the workflow's. */
export function graphOnWire(
  { workflow, steps, transitions }: WorkflowGraph,
  seesSecrets: boolean,
): Wire<typeof WorkflowRecord> {
  const config = triggerConfigOf(workflow)
  return {
    ...workflowOnWire(workflow),
    steps: steps.map((step) => stepOnWire(step.type === 'TRIGGER' ? { ...step, config } : step, seesSecrets)),
    transitions: transitions.map(transitionOnWire),
  }
}

/** A step. Its template is beside the config and in it. */
export function stepOnWire(step: WorkflowStep, seesSecrets: boolean): Wire<typeof StepRecord> {
  const { id, type, name, position, templateId } = step
  const config = seesSecrets || type !== 'WEBHOOK' ? step.config : hiddenConfig(step.config)
  return { id, type, name, position, config: templateId ? { ...config, templateId } : config, templateId }
}

/** The branch is under both of its names. */
export function transitionOnWire({
  id,
  fromStepId,
  toStepId,
  branch,
  priority,
}: WorkflowTransition): Wire<typeof TransitionRecord> {
  return { id, fromStepId, toStepId, branch, condition: branch === undefined ? undefined : { branch }, priority }
}

/** An execution with its step runs, in order. */
export function executionOnWire({ execution, steps }: ExecutionDetail): Wire<typeof ExecutionRecord> {
  const { id, workflowId, contactId, status, currentStepId, exitReason, error, context } = execution
  const { startedAt, completedAt, updatedAt } = execution
  return {
    id,
    workflowId,
    contactId,
    status,
    currentStepId: currentStepId ?? null,
    exitReason: exitReason ?? null,
    error: error ?? null,
    context,
    startedAt,
    completedAt: completedAt ?? null,
    updatedAt,
    steps: steps.map(stepRunOnWire),
  }
}

/** The result of a step for a contact. */
export function triedStepOnWire({ branch, until, skipped, output }: TriedStep): Wire<typeof TriedStepRecord> {
  return { branch: branch ?? null, until: until ?? null, skipped, output }
}

/** An execution in the list of its contact. */
export function contactExecutionOnWire({
  step,
  onStepSince,
  exitReason,
  error,
  completedAt,
  ...execution
}: ListedContactExecution): Wire<typeof ContactExecutionRecord> {
  return {
    ...execution,
    step: step ? { ...step, since: onStepSince ?? null } : null,
    exitReason: exitReason ?? null,
    error: error ?? null,
    completedAt: completedAt ?? null,
  }
}

/** Counts under the statuses in lower case; `active` is the number of contacts on the step now. */
export function workflowStatsOnWire({
  total,
  byStatus,
  goalReached,
  steps,
}: WorkflowStats): Wire<typeof WorkflowFigures> {
  const { RUNNING, WAITING, COMPLETED, EXITED, FAILED, CANCELLED } = byStatus
  const ended = { completed: COMPLETED, exited: EXITED, failed: FAILED, cancelled: CANCELLED }
  return {
    executions: { total, running: RUNNING, waiting: WAITING, ...ended, goalReached },
    steps: steps.map(({ step, active, total: reached, byStatus: counts }) => ({
      stepId: step.id,
      type: step.type,
      name: step.name,
      active,
      total: reached,
      running: counts.RUNNING ?? 0,
      waiting: counts.WAITING ?? 0,
      completed: counts.COMPLETED ?? 0,
      skipped: counts.SKIPPED ?? 0,
      failed: counts.FAILED ?? 0,
      cancelled: counts.CANCELLED ?? 0,
    })),
  }
}

function stepRunOnWire({ stepId, status, startedAt, completedAt, output, error }: StepRun) {
  return {
    stepId,
    status,
    startedAt,
    completedAt: completedAt ?? null,
    output: output ?? null,
    error: error ?? null,
  }
}

function triggerConfigOf({ triggerType, eventName, eventTrigger, dateTrigger }: Workflow) {
  if (triggerType === 'DATE') return { ...dateTrigger }
  return { ...(eventName === undefined ? {} : { eventName }), ...eventTrigger }
}
