import * as v from 'valibot'
import { AnyEventName } from '../events/event.ts'
import { isJsonObject, type JsonObject } from '../values/json.ts'
import { PageQuery } from '../values/page.ts'
import { say } from '../values/parse.ts'
import { BRANCHES, STEP_TYPES, type StepType, TRIGGER_TYPES } from './workflow.ts'

/** How many characters a name may have. */
export const NAME_LENGTH = 255

const Name = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(NAME_LENGTH))
const Description = v.nullish(v.pipe(v.string(), v.maxLength(10_000)))
const TriggerConfig = v.nullish(v.object({ eventName: v.nullish(AnyEventName) }))

/** The body of `POST /workflows`; the event stands in one of two places. */
export const CreateWorkflow = v.object({
  name: Name,
  description: Description,
  eventName: v.nullish(AnyEventName),
  triggerConfig: TriggerConfig,
  allowReentry: v.nullish(v.boolean()),
})

/** The body of `PATCH /workflows/{id}`; null takes the description or the event away. */
export const ChangeWorkflow = v.object({
  name: v.optional(Name),
  description: Description,
  triggerType: v.optional(v.picklist(TRIGGER_TYPES)),
  eventName: v.nullish(AnyEventName),
  triggerConfig: TriggerConfig,
  enabled: v.optional(v.boolean()),
  allowReentry: v.optional(v.boolean()),
})
export type ChangeWorkflow = v.InferOutput<typeof ChangeWorkflow>

/** The query of the list. */
export const ListWorkflows = PageQuery

/** The query of `GET /workflows/fields`: of which event's data fields are wanted. */
export const FieldsQuery = v.object({ eventName: v.optional(AnyEventName) })

/** The types of steps that can be added: all but the entry, which every workflow has. */
export const ADDABLE_TYPES = STEP_TYPES.filter((type) => type !== 'TRIGGER')

/** A place on the drawing board; what a place means is the editor's. */
const Coordinate = v.pipe(v.number(), v.minValue(-1_000_000), v.maxValue(1_000_000))
const Position = v.nullish(v.object({ x: Coordinate, y: Coordinate }))
const AnyObject = v.custom<JsonObject>(isJsonObject, say('invalid_type', 'must be an object'))

/** The body of `POST /workflows/{id}/steps`; the config is read by its type. */
export const AddStep = v.object({
  type: v.picklist(ADDABLE_TYPES),
  name: v.nullish(Name),
  config: v.nullish(AnyObject),
  templateId: v.nullish(v.string()),
  position: Position,
  afterStepId: v.nullish(v.string()),
  branch: v.nullish(v.picklist(BRANCHES)),
  autoConnect: v.nullish(v.boolean()),
})

/** The body of `PATCH /workflows/{id}/steps/{stepId}`; the config takes the place of the earlier one. */
export const ChangeStep = v.object({
  type: v.nullish(v.string()),
  name: v.optional(Name),
  config: v.optional(AnyObject),
  templateId: v.nullish(v.string()),
  position: Position,
})

/** The query of `DELETE /workflows/{id}/steps/{stepId}`. */
export const RemoveStep = v.object({ splice: v.optional(v.picklist(['true', 'false']), 'false') })

const Priority = v.pipe(
  v.number(),
  v.integer(say('invalid_type', 'must be a whole number')),
  v.minValue(-1_000_000),
  v.maxValue(1_000_000),
)

/** The body of `POST /workflows/{id}/transitions`; the branch stands in one of two places. */
export const AddTransition = v.object({
  fromStepId: v.string(),
  toStepId: v.string(),
  branch: v.nullish(v.picklist(BRANCHES)),
  condition: v.nullish(v.object({ branch: v.nullish(v.picklist(BRANCHES)) })),
  priority: v.nullish(Priority),
})

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
