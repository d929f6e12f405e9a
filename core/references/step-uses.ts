import type { Filter } from '../ports/store/filters.ts'
import type { WorkflowStep } from '../ports/store/workflows.ts'

/** Something that a step of a workflow names: a template, a snippet, an event, a key of contacts' data, all that a filter mentions. */
export type StepUse =
  | { readonly kind: 'template'; readonly id: string }
  | { readonly kind: 'snippet'; readonly name: string }
  | { readonly kind: 'event'; readonly name: string }
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'topic'; readonly id: string; readonly slug: string }
  | { readonly kind: 'filter'; readonly filter: Filter }

/** Finds the things that a stored step names: only workflows know its types, and they stand after this room. */
export type StepUses = (step: WorkflowStep) => readonly StepUse[]
export const StepUses = Symbol('StepUses')
