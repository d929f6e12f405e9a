import * as v from 'valibot'
import { defineStep } from './step-definition.ts'

const Config = v.object({
  /** The reason, for people. */
  reason: v.nullish(v.pipe(v.string(), v.maxLength(1000))),
})

/** EXIT: ends the execution. */
export const exit = defineStep({
  type: 'EXIT',
  name: 'Exit',
  Config,
  branches: 'none',
  run: ({ config: { reason } }) => ({ outcome: 'exit', ...(reason == null ? {} : { reason }) }),
})
