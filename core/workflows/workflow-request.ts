import * as v from 'valibot'
import { AnyEventName } from '../events/event.ts'
import { BRANCHES, STEP_TYPES, type StepType, TRIGGER_TYPES } from '../ports/store/workflows.ts'
import type { InputOf } from '../values/input.ts'
import { isJsonObject, type JsonObject } from '../values/json.ts'
import { PageQuery } from '../values/page.ts'
import { say } from '../values/parse.ts'
import type { StepConfigInput } from './step-config.ts'

/** How many characters a name may have. */
export const NAME_LENGTH = 255

const Name = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(NAME_LENGTH))
const Description = v.nullish(v.pipe(v.string(), v.maxLength(10_000)))
const TriggerConfig = v.nullish(
  v.object({
    /** The event that starts it. */
    eventName: v.nullish(AnyEventName),
  }),
)

/** The body of `POST /workflows`; the event stands in one of two places. */
export const CreateWorkflow = v.object({
  /** What it is called in lists. */
  name: Name,
  /** What it is for; null takes it away. */
  description: Description,
  /** The event that starts it. */
  eventName: v.nullish(AnyEventName),
  /** The event that starts it, in another place. */
  triggerConfig: TriggerConfig,
  /** Whether a contact may run it more than once. */
  allowReentry: v.nullish(v.boolean()),
})

/** The body of `PATCH /workflows/{id}`; null takes the description or the event away. */
export const ChangeWorkflow = v.object({
  /** What it is called in lists. */
  name: v.optional(Name),
  /** What it is for; null takes it away. */
  description: Description,
  /** `EVENT`: an event starts it; `MANUAL`: only a call does. */
  triggerType: v.optional(v.picklist(TRIGGER_TYPES)),
  /** The event that starts it. */
  eventName: v.nullish(AnyEventName),
  /** The event that starts it, in another place. */
  triggerConfig: TriggerConfig,
  /** Whether it starts for anybody. */
  enabled: v.optional(v.boolean()),
  /** Whether a contact may run it more than once. */
  allowReentry: v.optional(v.boolean()),
})
export type ChangeWorkflow = v.InferOutput<typeof ChangeWorkflow>

/** The query of the list. */
export const ListWorkflows = PageQuery

/** The query of `GET /workflows/fields`: of which event's data fields are wanted. */
export const FieldsQuery = v.object({
  /** The event whose data counts. */
  eventName: v.optional(AnyEventName),
})

/** The types of steps that can be added: all but the entry, which every workflow has. */
const ADDABLE_TYPES = STEP_TYPES.filter((type) => type !== 'TRIGGER')

/** A place on the drawing board; what a place means is the editor's. */
const Coordinate = v.pipe(v.number(), v.minValue(-1_000_000), v.maxValue(1_000_000))
const Position = v.nullish(
  v.object({
    /** From the left. */
    x: Coordinate,
    /** From the top. */
    y: Coordinate,
  }),
)
const AnyObject = v.custom<JsonObject>(isJsonObject, say('invalid_type', 'must be an object'))

/** The body of `POST /workflows/{id}/steps`; the config is read by its type. */
export const AddStep = v.object({
  /** What it does. */
  type: v.picklist(ADDABLE_TYPES),
  /** What the step is called; its type without it. */
  name: v.nullish(Name),
  /** What it needs for that, by its type. */
  config: v.nullish(AnyObject),
  /** The template of a SEND_EMAIL step; may also stand in its config. */
  templateId: v.nullish(v.string()),
  /** Where it stands on the drawing board. */
  position: Position,
  /** The step that leads to it. */
  afterStepId: v.nullish(v.string()),
  /** The branch of that step that leads to it: `yes`, `no`, `event`, `timeout`. */
  branch: v.nullish(v.picklist(BRANCHES)),
  autoConnect: v.nullish(v.boolean()),
})

/** The body of `PATCH /workflows/{id}/steps/{stepId}`; the config takes the place of the earlier one. */
export const ChangeStep = v.object({
  /** May be given as it is; it cannot be changed. */
  type: v.nullish(v.string()),
  /** What the step is called; its type without it. */
  name: v.optional(Name),
  /** Takes the place of the earlier one. */
  config: v.optional(AnyObject),
  /** The template of a SEND_EMAIL step; may also stand in its config. */
  templateId: v.nullish(v.string()),
  /** Where it stands on the drawing board. */
  position: Position,
})

/** The query of `DELETE /workflows/{id}/steps/{stepId}`. */
export const RemoveStep = v.object({
  /** Whether what led to it leads to its successor from then on. */
  splice: v.optional(v.picklist(['true', 'false']), 'false'),
})

const Priority = v.pipe(
  v.number(),
  v.integer(say('invalid_type', 'must be a whole number')),
  v.minValue(-1_000_000),
  v.maxValue(1_000_000),
)

/** The body of `POST /workflows/{id}/transitions`; the branch stands in one of two places. */
export const AddTransition = v.object({
  /** Where it begins. */
  fromStepId: v.string(),
  /** Where it leads. */
  toStepId: v.string(),
  /** The branch it is taken on: `yes`, `no`, `event`, `timeout`. */
  branch: v.nullish(v.picklist(BRANCHES)),
  /** The branch, in another place. */
  condition: v.nullish(
    v.object({
      /** As beside it. */
      branch: v.nullish(v.picklist(BRANCHES)),
    }),
  ),
  /** Of several the one with the smallest number counts. */
  priority: v.nullish(Priority),
})

/** A new workflow. */
export interface CreateWorkflowInput extends InputOf<typeof CreateWorkflow> {}

/** The fields of a workflow that are to change. */
export interface ChangeWorkflowInput extends InputOf<typeof ChangeWorkflow> {}

/** Of which event's data the fields are wanted. */
export interface WorkflowFieldsInput extends InputOf<typeof FieldsQuery> {}

type AddStepFields = InputOf<typeof AddStep>
type TypedStep<Type extends AddStepFields['type']> = Omit<AddStepFields, 'type' | 'config'> & {
  /** What it does. */
  readonly type: Type
  /** What it needs for that. */
  readonly config?: StepConfigInput[Type] | null | undefined
}

/** A new step; what stands in its config depends on its type. */
export type AddStepInput = { [Type in AddStepFields['type']]: TypedStep<Type> }[AddStepFields['type']]

/** The fields of a step that are to change. */
export type ChangeStepInput = Omit<InputOf<typeof ChangeStep>, 'config'> & {
  /** Takes the place of the earlier one. */
  readonly config?: StepConfigInput[keyof StepConfigInput] | undefined
}

/** What becomes of the connections of a step that is removed. */
export interface RemoveStepInput extends InputOf<typeof RemoveStep> {}

/** A connection between two steps. */
export interface AddTransitionInput extends InputOf<typeof AddTransition> {}

/** What a step is called when nobody names it. */
export const STEP_NAMES: Readonly<Record<StepType, string>> = {
  TRIGGER: 'Trigger',
  SEND_EMAIL: 'Send e-mail',
  DELAY: 'Delay',
  WAIT_FOR_EVENT: 'Wait for event',
  CONDITION: 'Condition',
  WEBHOOK: 'Webhook',
  UPDATE_CONTACT: 'Update contact',
  EXIT: 'Exit',
}
