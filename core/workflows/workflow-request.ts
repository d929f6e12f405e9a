import * as v from 'valibot'
import { AnyEventName } from '../events/event.ts'
import { TRIGGER_TYPES } from '../ports/store/workflows.ts'
import { describedBy, named } from '../values/described.ts'
import type { InputOf } from '../values/input.ts'
import { isJsonObject, type JsonObject } from '../values/json.ts'
import { PageQuery } from '../values/page.ts'
import { say } from '../values/parse.ts'
import { SEEN_IN_QUERY, SEEN_VERSION } from '../values/record-version.ts'
import { TriggerConfig } from './read-trigger.ts'
import { STEP_TYPES, STEPS, type StepConfigInput, type StepType } from './steps/registry.ts'
import { AnyObject, BranchName } from './steps/step-definition.ts'

/** How many characters a name may have. */
const NAME_LENGTH = 255

const Name = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(NAME_LENGTH))
const Description = v.nullish(v.pipe(v.string(), v.maxLength(10_000)))
const Goal = v.nullish(
  v.object({
    /** The event that ends the execution of the contact who does it. */
    eventName: AnyEventName,
  }),
)

/** The body of `PATCH /workflows/{id}`; null removes the description or the event. */
export const ChangeWorkflow = v.object({
  /** The name in lists. */
  name: v.optional(Name),
  /** A description; null removes it. */
  description: Description,
  /** `EVENT`: an event starts it; `DATE`: a date of the contact; `MANUAL`: only a call does. */
  triggerType: v.optional(v.picklist(TRIGGER_TYPES)),
  /** The event that starts it. */
  eventName: v.nullish(AnyEventName),
  /** The event or the date that starts it. */
  triggerConfig: v.nullish(TriggerConfig),
  /** Whether it starts for contacts. */
  enabled: v.optional(v.boolean()),
  /** Whether a contact may run it more than once. */
  allowReentry: v.optional(v.boolean()),
  /** The goal that ends it early; null removes it. */
  goal: Goal,
  ...SEEN_VERSION,
})
export type ChangeWorkflow = v.InferOutput<typeof ChangeWorkflow>

export const ListWorkflows = PageQuery

/** The query of `GET /workflows/fields`. */
export const FieldsQuery = v.object({
  /** Lists the data fields of this event only. */
  eventName: v.optional(AnyEventName),
})

/** The types of steps that can be added: all but the entry, which every workflow has. */
const ADDABLE_TYPES = STEP_TYPES.filter((type) => type !== 'TRIGGER')

/** A coordinate in the editor, which gives it its meaning. */
const Coordinate = v.pipe(v.number(), v.minValue(-1_000_000), v.maxValue(1_000_000))
const Position = v.nullish(
  v.object({
    /** From the left. */
    x: Coordinate,
    /** From the top. */
    y: Coordinate,
  }),
)

/** The body of `POST /workflows/{id}/steps`; the config is read by its type. */
export const AddStep = v.object({
  /** The type of the step. */
  type: v.picklist(ADDABLE_TYPES),
  /** The name of the step; by default its type. */
  name: v.nullish(Name),
  /** The config, by type. */
  config: v.nullish(AnyObject),
  /** The template of a SEND_EMAIL step, by its id or slug; may also be in its config. The step keeps its id. */
  templateId: v.nullish(v.string()),
  /** Its place in the editor. */
  position: Position,
  /** The step before it. */
  afterStepId: v.nullish(v.string()),
  /** The branch of that step, such as `yes`. */
  branch: v.nullish(BranchName),
  /** The transition to put it on: it leads to the step from now on, and the step to where it led. */
  onTransitionId: v.nullish(v.string()),
  /** Of a step that is put on a transition: its branch that leads on. */
  nextBranch: v.nullish(BranchName),
  autoConnect: v.nullish(v.boolean()),
  ...SEEN_VERSION,
})

/** The same, for descriptions, with the config of each type. */
export const NewStep = describedBy(
  AddStep,
  v.variant(
    'type',
    ADDABLE_TYPES.map((type) => {
      const config = v.nullish(stepConfig(type))
      return named(`New${spoken(type)}Step`, v.object({ ...AddStep.entries, type: v.literal(type), config }))
    }),
  ),
)

/** The config of a type of step, as sent and as answered, by its own name. */
export function stepConfig(type: StepType): v.GenericSchema {
  return named(`${spoken(type)}Config`, STEPS[type].Config)
}

/** The type as a part of a name: `SendEmail` of `SEND_EMAIL`. */
export function spoken(type: string): string {
  return type.toLowerCase().replace(/(?:^|_)(\w)/g, (_match, letter: string) => letter.toUpperCase())
}

/** A config of a step whose type is known by its id. */
const AnyConfig = v.custom<JsonObject>(isJsonObject, say('invalid_type', 'must be an object'))

const Priority = v.pipe(
  v.number(),
  v.integer(say('invalid_type', 'must be a whole number')),
  v.minValue(-1_000_000),
  v.maxValue(1_000_000),
)

/** How many steps a workflow may have, including the entry. */
export const MAX_STEPS = 200
/** How many transitions a workflow may be created with. */
const MAX_TRANSITIONS = 1000

/** The key of the entry where steps have keys. */
export const ENTRY_KEY = 'trigger'

const Key = v.pipe(v.string(), v.minLength(1), v.maxLength(64))

/** A step of a workflow that is created whole. */
const DrawnStep = v.object({
  /** The key by which transitions refer to it; it is not stored. */
  key: v.pipe(
    Key,
    v.check((key) => key !== ENTRY_KEY, say('custom', `cannot be "${ENTRY_KEY}", the key of the entry`)),
  ),
  /** The type of the step. */
  type: v.picklist(ADDABLE_TYPES),
  /** The name of the step; by default its type. */
  name: v.nullish(Name),
  /** The config, by type. */
  config: v.nullish(AnyObject),
  /** The template of a SEND_EMAIL step, by its id or slug; may also be in its config. The step keeps its id. */
  templateId: v.nullish(v.string()),
  /** Its place in the editor. */
  position: Position,
})

const DrawnStepOfType = v.variant(
  'type',
  ADDABLE_TYPES.map((type) => {
    const config = v.nullish(stepConfig(type))
    return named(`Drawn${spoken(type)}Step`, v.object({ ...DrawnStep.entries, type: v.literal(type), config }))
  }),
)

/** A way between two steps of a workflow that is created whole. */
const DrawnTransition = named(
  'DrawnTransition',
  v.object({
    /** The key of the step it leaves; `trigger` is the entry. */
    from: Key,
    /** The key of the step it leads to. */
    to: Key,
    /** The branch it is taken on, such as `yes`. */
    branch: v.nullish(BranchName),
    /** For clients: it is answered as it was given, and decides nothing. */
    priority: v.nullish(Priority),
  }),
)

/** The body of `POST /workflows`; the event is in one of two places. */
export const CreateWorkflow = v.object({
  /** The name in lists. */
  name: Name,
  /** A description; null removes it. */
  description: Description,
  /** `DATE`: a date of the contact starts it. Without it, or with another one, it begins as `EVENT`. */
  triggerType: v.nullish(v.picklist(TRIGGER_TYPES)),
  /** The event that starts it. */
  eventName: v.nullish(AnyEventName),
  /** The event or the date that starts it. */
  triggerConfig: v.nullish(TriggerConfig),
  /** Whether a contact may run it more than once. */
  allowReentry: v.nullish(v.boolean()),
  /** The goal that ends it early. */
  goal: Goal,
  /** Its steps, besides the entry. */
  steps: v.nullish(v.pipe(v.array(describedBy(DrawnStep, DrawnStepOfType)), v.maxLength(MAX_STEPS - 1))),
  /** The ways between its steps. */
  transitions: v.nullish(v.pipe(v.array(DrawnTransition), v.maxLength(MAX_TRANSITIONS))),
})
export type CreateWorkflow = v.InferOutput<typeof CreateWorkflow>

/** The body of `PATCH /workflows/{id}/steps/{stepId}`; a config replaces the earlier one. */
export const ChangeStep = v.object({
  /** May be given, but not changed. */
  type: v.nullish(v.string()),
  /** The name of the step; by default its type. */
  name: v.optional(Name),
  /** Replaces the earlier config. */
  config: v.optional(describedBy(AnyConfig, v.union(ADDABLE_TYPES.map(stepConfig)))),
  /** The template of a SEND_EMAIL step, by its id or slug; may also be in its config. The step keeps its id. */
  templateId: v.nullish(v.string()),
  /** Its place in the editor. */
  position: Position,
  ...SEEN_VERSION,
})

/** The query of `DELETE /workflows/{id}/steps/{stepId}`. */
export const RemoveStep = v.object({
  /** Whether to connect what led to it with its successor. */
  splice: v.optional(v.picklist(['true', 'false']), 'false'),
  /** Of a step with branches: the one whose successor takes its place. */
  branch: v.optional(BranchName),
  ...SEEN_IN_QUERY,
})

/** The query of `DELETE /workflows/{id}/transitions/{transitionId}`. */
export const RemoveTransition = v.object(SEEN_IN_QUERY)

/** The body of `POST /workflows/{id}/transitions`; the branch is in one of two places. */
export const AddTransition = v.object({
  /** The step it leaves. */
  fromStepId: v.string(),
  /** The step it leads to. */
  toStepId: v.string(),
  /** The branch it is taken on, such as `yes`. */
  branch: v.nullish(BranchName),
  /** The branch, in another place. */
  condition: v.nullish(
    v.object({
      /** As above. */
      branch: v.nullish(BranchName),
    }),
  ),
  /** For clients: it is answered as it was given, and decides nothing, since one transition is possible on a branch. */
  priority: v.nullish(Priority),
  ...SEEN_VERSION,
})

/** The body of `PATCH /workflows/{id}/transitions/{transitionId}`. */
export const ChangeTransition = v.object({
  /** The step it leads to from now on. */
  toStepId: v.nullish(v.string()),
  /** The branch it is taken on from now on; one that stood for all leaves the others where they lead. */
  branch: v.nullish(BranchName),
  /** The branch, in another place. */
  condition: AddTransition.entries.condition,
  /** For clients, as it was given. */
  priority: AddTransition.entries.priority,
  ...SEEN_VERSION,
})

/** A new workflow. */
export interface CreateWorkflowInput extends Omit<InputOf<typeof CreateWorkflow>, 'steps'> {
  /** Its steps, besides the entry. */
  readonly steps?: readonly DrawnStepInput[] | null | undefined
}

/** The fields of a workflow to change. */
export interface ChangeWorkflowInput extends InputOf<typeof ChangeWorkflow> {}

/** Options of the list of fields. */
export interface WorkflowFieldsInput extends InputOf<typeof FieldsQuery> {}

type AddStepFields = InputOf<typeof AddStep>
type TypedStep<Type extends AddStepFields['type']> = Omit<AddStepFields, 'type' | 'config'> & {
  /** The type of the step. */
  readonly type: Type
  /** The config of this type. */
  readonly config?: StepConfigInput[Type] | null | undefined
}

/** A new step; its config depends on its type. */
export type AddStepInput = { [Type in AddStepFields['type']]: TypedStep<Type> }[AddStepFields['type']]

type DrawnStepFields = InputOf<typeof DrawnStep>
type TypedDrawnStep<Type extends DrawnStepFields['type']> = Omit<DrawnStepFields, 'type' | 'config'> & {
  /** The type of the step. */
  readonly type: Type
  /** The config of this type. */
  readonly config?: StepConfigInput[Type] | null | undefined
}

/** A step of a workflow that is created whole; its config depends on its type. */
export type DrawnStepInput = { [Type in DrawnStepFields['type']]: TypedDrawnStep<Type> }[DrawnStepFields['type']]

/** The fields of a step to change. */
export type ChangeStepInput = Omit<InputOf<typeof ChangeStep>, 'config'> & {
  /** Replaces the earlier config. */
  readonly config?: StepConfigInput[keyof StepConfigInput] | undefined
}

/** How to connect the neighbours of a removed step. */
export interface RemoveStepInput extends InputOf<typeof RemoveStep> {}

/** The version of the workflow that the caller has seen. */
export interface RemoveTransitionInput extends InputOf<typeof RemoveTransition> {}

/** A connection between two steps. */
export interface AddTransitionInput extends InputOf<typeof AddTransition> {}

/** The fields of a connection to change. */
export interface ChangeTransitionInput extends InputOf<typeof ChangeTransition> {}
