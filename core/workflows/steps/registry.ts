import * as v from 'valibot'
import { EngineError } from '../../errors.ts'
import type { Branch, WorkflowGraph, WorkflowStep } from '../../ports/store/workflows.ts'
import type { StepUse } from '../../references/step-uses.ts'
import type { JsonObject } from '../../values/json.ts'
import { noteWarnings, parse } from '../../values/parse.ts'
import { condition } from './condition.ts'
import { delay } from './delay.ts'
import { exit } from './exit.ts'
import { sendEmail } from './send-email.ts'
import { split } from './split.ts'
import {
  type CheckContext,
  type ProblemContext,
  type StepDefinition,
  type StepProblem,
  unreadable,
} from './step-definition.ts'
import { switchStep } from './switch.ts'
import { trigger } from './trigger.ts'
import { updateContact } from './update-contact.ts'
import { waitForEvent } from './wait-for-event.ts'
import { waitUntil } from './wait-until.ts'
import { webhook } from './webhook.ts'

/** Every type of step, in the order in which errors list them. */
const DEFINITIONS = {
  TRIGGER: trigger,
  SEND_EMAIL: sendEmail,
  DELAY: delay,
  WAIT_FOR_EVENT: waitForEvent,
  WAIT_UNTIL: waitUntil,
  CONDITION: condition,
  SWITCH: switchStep,
  SPLIT: split,
  WEBHOOK: webhook,
  UPDATE_CONTACT: updateContact,
  EXIT: exit,
} as const

export type StepType = keyof typeof DEFINITIONS

/** The config of each type, as it was read. */
type Configs = { readonly [Type in StepType]: v.InferOutput<(typeof DEFINITIONS)[Type]['Config']> }

/** The definition of each type. */
export const STEPS: { readonly [Type in StepType]: StepDefinition<Type, Configs[Type]> } = DEFINITIONS

export const STEP_TYPES: readonly StepType[] = Object.keys(STEPS).filter(isStepType)

/** The config of each type that can be added, as sent. A CONDITION has a filter or a single condition. */
export type StepConfigInput = {
  readonly [Type in Exclude<StepType, 'TRIGGER'>]: v.InferInput<(typeof DEFINITIONS)[Type]['Config']>
}

/** A step whose config was read: its type says what the config is. */
export type ReadStep<Type extends StepType = StepType> = {
  [Each in Type]: { readonly type: Each; readonly config: Configs[Each] }
}[Type]

/** A stored step of a type that is known. */
export type KnownStep = WorkflowStep<StepType>

/** A stored graph with steps of types that are known. */
export type KnownGraph = WorkflowGraph<StepType>

/** The graph as one of known types. Throws when a step was stored by a version that knows more. */
export function knownGraph(graph: WorkflowGraph): KnownGraph {
  if (isKnown(graph)) return graph
  throw new Error(`the workflow ${graph.workflow.id} has a step of a type that is not known`)
}

/** Reads a config that was sent. Throws EngineError `VALIDATION_ERROR` with places such as `config.amount`. */
export function readSent<Type extends StepType>(type: Type, sent: JsonObject): ReadStep<Type> {
  const { Config } = STEPS[type]
  const { config } = parse(v.object({ config: Config }), { config: sent })
  noteWarnings(Config, sent)
  return { type, config }
}

/** The rules of the step's type for its config. */
export function rulesOf<Type extends StepType>({ type, config }: ReadStep<Type>) {
  const rules = STEPS[type]
  return {
    texts: () => [...(rules.texts?.(config) ?? [])],
    branches: () => (typeof rules.branches === 'string' ? [] : rules.branches.names(config)),
    uses: () => rules.uses?.(config) ?? [],
    check: (given: CheckContext) => rules.check?.(config, given),
    problems: (given: ProblemContext): readonly StepProblem[] => rules.problems?.(config, given) ?? [],
  }
}

/** The branches that may lead out of a stored step, none for a step without; whether a transition must name one. */
export function branchesOf(step: WorkflowStep<StepType>): {
  readonly names: readonly Branch[]
  readonly required: boolean
} {
  const { branches } = STEPS[step.type]
  if (typeof branches === 'string') return { names: [], required: false }
  const read = stepOrError(step)
  return { names: EngineError.is(read) ? [] : rulesOf(read).branches(), required: branches.required }
}

/** The things that a stored step names; none when it cannot be read. */
export function usesOf(step: WorkflowStep): readonly StepUse[] {
  const read = stepOrError(step)
  return EngineError.is(read) ? [] : rulesOf(read).uses()
}

/** A stored step, read; or the error that says it cannot be. */
export function stepOrError(step: WorkflowStep): ReadStep | EngineError {
  const { type, config, templateId } = step
  try {
    if (isStepType(type)) return readAs(type, templateId === undefined ? config : { ...config, templateId })
  } catch {
    // the schema's words are for the sender of a config; this one was not sent
  }
  return unreadable(type)
}

function readAs<Type extends StepType>(type: Type, stored: JsonObject): ReadStep<Type> {
  return { type, config: v.parse(STEPS[type].Config, stored) }
}

function isStepType(type: string): type is StepType {
  return Object.hasOwn(STEPS, type)
}

function isKnown(graph: WorkflowGraph): graph is KnownGraph {
  return graph.steps.every(({ type }) => isStepType(type))
}
