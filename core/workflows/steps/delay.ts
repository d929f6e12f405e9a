import * as v from 'valibot'
import { say } from '../../values/parse.ts'
import { defineStep, MAX_WAIT, Positive } from './step-definition.ts'

const UNITS = ['seconds', 'minutes', 'hours', 'days'] as const
const UNIT_SECONDS = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 } as const

const Config = v.pipe(
  v.object({
    /** The length, in `unit`. */
    amount: Positive,
    /** The unit of the delay. */
    unit: v.picklist(UNITS),
  }),
  v.forward(
    v.check(({ amount, unit }) => amount * UNIT_SECONDS[unit] <= MAX_WAIT, say('too_big', 'must be at most 365 days')),
    ['amount'],
  ),
)

/** DELAY: waits for some time. */
export const delay = defineStep({
  type: 'DELAY',
  name: 'Delay',
  Config,
  branches: 'one',
  run: ({ config: { amount, unit }, waited, now }) => {
    if (waited) return { outcome: 'done' }
    const dueAt = new Date(now.getTime() + amount * UNIT_SECONDS[unit] * 1000)
    return { outcome: 'wait', dueAt, output: { until: dueAt.toISOString() } }
  },
})
