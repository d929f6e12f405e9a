import * as v from 'valibot'
import { defineStep } from './step-definition.ts'

/** TRIGGER: the entry of every workflow. It is done as soon as it is reached. */
export const trigger = defineStep({
  type: 'TRIGGER',
  name: 'Trigger',
  Config: v.object({}),
  branches: 'one',
  deadEnd: 'has no step after it',
  run: () => ({ outcome: 'done' }),
})

/** Whether the step is the entry. */
export function isEntry({ type }: { readonly type: string }): boolean {
  return type === trigger.type
}
