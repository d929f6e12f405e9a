import * as v from 'valibot'
import { EXECUTION_STATUSES } from '../../core/ports/store/executions.ts'
import { STEP_RUN_STATUSES } from '../../core/ports/store/step-runs.ts'
import { TRIGGER_TYPES } from '../../core/ports/store/workflows.ts'
import { describedBy, named } from '../../core/values/described.ts'
import { STEP_TYPES } from '../../core/workflows/steps/registry.ts'
import { spoken, stepConfig } from '../../core/workflows/workflow-request.ts'
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

/** A workflow without its steps and transitions. */
export const ListedWorkflow = named('ListedWorkflow', v.object(workflow))

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

export const StepRecord = named('Step', describedBy(v.object(step), StepOfType))

export const TransitionRecord = named(
  'Transition',
  v.object({
    id: Id,
    fromStepId: Id,
    toStepId: Id,
    branch: v.optional(v.string()),
    condition: v.optional(v.object({ branch: v.string() })),
    priority: v.pipe(v.number(), v.integer()),
  }),
)

export const WorkflowRecord = named(
  'Workflow',
  v.object({ ...workflow, steps: many(StepRecord), transitions: many(TransitionRecord) }),
)

const StepRun = named(
  'StepRun',
  v.object({
    stepId: Id,
    status: v.picklist(STEP_RUN_STATUSES),
    startedAt: Time,
    completedAt: v.nullable(Time),
    output: v.nullable(Fields),
    error: v.nullable(v.string()),
  }),
)

export const ExecutionRecord = named(
  'Execution',
  v.object({
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
    steps: many(StepRun),
  }),
)

export const ContactExecutionRecord = named(
  'ContactExecution',
  v.object({
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
  }),
)

export const TriedStepRecord = named(
  'TriedStep',
  v.object({ branch: v.nullable(v.string()), until: v.nullable(Time), skipped: v.boolean(), output: Fields }),
)

export const CancelledExecutions = named('CancelledExecutions', v.object({ cancelled: Count }))

const counts = { running: Count, waiting: Count, completed: Count, failed: Count, cancelled: Count }

export const WorkflowFigures = named(
  'WorkflowStats',
  v.object({
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
  }),
)
