import * as v from 'valibot'
import { EXECUTION_STATUSES } from '../../core/ports/store/executions.ts'
import { STEP_RUN_STATUSES } from '../../core/ports/store/step-runs.ts'
import {
  TRIGGER_TYPES,
  type Workflow,
  type WorkflowGraph,
  type WorkflowStep,
  type WorkflowTransition,
} from '../../core/ports/store/workflows.ts'
import { describedBy, named } from '../../core/values/described.ts'
import { hiddenConfig } from '../../core/webhooks/hidden-secrets.ts'
import type { ExecutionDetail, ListedContactExecution } from '../../core/workflows/executions.ts'
import { STEP_TYPES } from '../../core/workflows/steps/registry.ts'
import { spoken, stepConfig } from '../../core/workflows/workflow-request.ts'
import type { WorkflowStats } from '../../core/workflows/workflow-stats.ts'
import { answer } from './answer.ts'
import { Count, Fields, Id, many, Time } from './parts.ts'

const workflow = {
  id: Id,
  name: v.string(),
  description: v.optional(v.string()),
  enabled: v.boolean(),
  triggerType: v.picklist(TRIGGER_TYPES),
  triggerConfig: named(
    'TriggerConfig',
    v.object({
      eventName: v.optional(v.string()),
      formId: v.optional(Id),
      topicId: v.optional(Id),
      campaignId: v.optional(Id),
      wholeSubscription: v.optional(v.boolean()),
      field: v.optional(v.string()),
      offset: v.optional(
        v.object({
          amount: Count,
          unit: v.picklist(['days', 'weeks']),
          direction: v.picklist(['before', 'after']),
        }),
      ),
      yearly: v.optional(v.boolean()),
      at: v.optional(v.string()),
      timezone: v.optional(v.string()),
      timezoneField: v.optional(v.string()),
    }),
  ),
  allowReentry: v.boolean(),
  goal: v.optional(v.object({ eventName: v.string() })),
  version: Count,
  createdAt: Time,
  updatedAt: Time,
}

function shownWorkflow({ goalEvent, ...workflow }: Workflow) {
  const goal = goalEvent === undefined ? undefined : { eventName: goalEvent }
  return { ...workflow, triggerConfig: triggerConfigOf(workflow), goal }
}

function triggerConfigOf({ triggerType, eventName, eventTrigger, dateTrigger }: Workflow) {
  if (triggerType === 'DATE') return { ...dateTrigger }
  return { ...(eventName === undefined ? {} : { eventName }), ...eventTrigger }
}

/** A workflow without its steps and transitions. */
export const ListedWorkflowAnswer = answer('ListedWorkflow', workflow, shownWorkflow)

const step = {
  id: Id,
  type: v.string(),
  name: v.string(),
  position: v.object({ x: v.number(), y: v.number() }),
  config: Fields,
  templateId: v.optional(v.string()),
}

/** Each type of step has a config of its own. */
const StepOfType = v.variant(
  'type',
  STEP_TYPES.map((type) => {
    const config = type === 'TRIGGER' ? workflow.triggerConfig : stepConfig(type)
    return named(`${spoken(type)}Step`, v.object({ ...step, type: v.literal(type), config }))
  }),
)

/** A step, to a caller who sees the secrets in its config or not. Its template is beside the config and in it. */
export const StepAnswer = {
  schema: named('Step', describedBy(v.object(step), StepOfType)),
  of({ id, type, name, position, templateId, config: stored }: WorkflowStep, seesSecrets: boolean) {
    const config = seesSecrets || type !== 'WEBHOOK' ? stored : hiddenConfig(stored)
    return { id, type, name, position, config: templateId ? { ...config, templateId } : config, templateId }
  },
}

/** The branch is under both of its names. */
export const TransitionAnswer = answer(
  'Transition',
  {
    id: Id,
    fromStepId: Id,
    toStepId: Id,
    branch: v.optional(v.string()),
    condition: v.optional(v.object({ branch: v.string() })),
    priority: v.pipe(v.number(), v.integer()),
  },
  (transition: WorkflowTransition) => {
    const { branch } = transition
    return { ...transition, condition: branch === undefined ? undefined : { branch } }
  },
)

/** A workflow with its steps and transitions; the trigger's config is the workflow's. */
export const WorkflowAnswer = answer(
  'Workflow',
  { ...workflow, steps: many(StepAnswer.schema), transitions: many(TransitionAnswer.schema) },
  ({ workflow, steps, transitions }: WorkflowGraph, seesSecrets: boolean) => {
    const config = triggerConfigOf(workflow)
    return {
      ...shownWorkflow(workflow),
      steps: steps.map((step) => StepAnswer.of(step.type === 'TRIGGER' ? { ...step, config } : step, seesSecrets)),
      transitions: transitions.map(TransitionAnswer.of),
    }
  },
)

const StepRunAnswer = answer('StepRun', {
  stepId: Id,
  status: v.picklist(STEP_RUN_STATUSES),
  startedAt: Time,
  completedAt: v.nullable(Time),
  output: v.nullable(Fields),
  error: v.nullable(v.string()),
})

/** An execution with its step runs, in order. */
export const ExecutionAnswer = answer(
  'Execution',
  {
    id: Id,
    workflowId: Id,
    contactId: Id,
    status: v.picklist(EXECUTION_STATUSES),
    currentStepId: v.nullable(Id),
    exitReason: v.nullable(v.string()),
    error: v.nullable(v.string()),
    context: Fields,
    startedAt: Time,
    completedAt: v.nullable(Time),
    updatedAt: Time,
    steps: many(StepRunAnswer.schema),
  },
  ({ execution, steps }: ExecutionDetail) => ({ ...execution, steps: steps.map(StepRunAnswer.of) }),
)

/** An execution in the list of its contact. */
export const ContactExecutionAnswer = answer(
  'ContactExecution',
  {
    id: Id,
    workflowId: Id,
    workflowName: v.string(),
    status: v.picklist(EXECUTION_STATUSES),
    step: v.nullable(v.object({ id: Id, type: v.string(), name: v.string(), since: v.nullable(Time) })),
    exitReason: v.nullable(v.string()),
    error: v.nullable(v.string()),
    startedAt: Time,
    completedAt: v.nullable(Time),
    updatedAt: Time,
  },
  ({ step, onStepSince, ...execution }: ListedContactExecution) => {
    return { ...execution, step: step && { ...step, since: onStepSince ?? null } }
  },
)

/** The result of a step for a contact. */
export const TriedStepAnswer = answer('TriedStep', {
  branch: v.nullable(v.string()),
  until: v.nullable(Time),
  skipped: v.boolean(),
  output: Fields,
})

export const CancelledExecutions = named('CancelledExecutions', v.object({ cancelled: Count }))

const counts = { running: Count, waiting: Count, completed: Count, failed: Count, cancelled: Count }

/** Counts under the statuses in lower case; `active` is the number of contacts on the step now. */
export const WorkflowStatsAnswer = answer(
  'WorkflowStats',
  {
    executions: v.object({ ...counts, total: Count, exited: Count, goalReached: Count }),
    steps: many(
      v.object({
        ...counts,
        stepId: Id,
        type: v.string(),
        name: v.string(),
        active: Count,
        total: Count,
        skipped: Count,
      }),
    ),
  },
  ({ total, byStatus, goalReached, steps }: WorkflowStats) => {
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
  },
)
