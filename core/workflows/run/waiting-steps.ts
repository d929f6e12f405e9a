import { EngineError } from '../../errors.ts'
import type { StepResult, StepRunner } from './step-runner.ts'

const UNIT_MS = { seconds: 1000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 } as const

/** The entry: it is done as soon as it is reached. */
export const trigger: StepRunner = { run: () => ({ outcome: 'done' }) }

/** DELAY: `{ amount, unit }`. */
export const delay: StepRunner = {
  run({ step, waited }, _contact, { now }): StepResult {
    if (waited) return { outcome: 'done' }
    const { amount, unit } = step.config
    if (typeof amount !== 'number' || typeof unit !== 'string' || !isUnit(unit)) throw unreadable('DELAY')
    const dueAt = new Date(now.getTime() + amount * UNIT_MS[unit])
    return { outcome: 'wait', dueAt, output: { until: dueAt.toISOString() } }
  },
}

/** WAIT_FOR_EVENT: `{ eventName, timeout? }` (seconds). The dispatcher notices the event. */
export const waitForEvent: StepRunner = {
  run({ step, waited }, _contact, { now }): StepResult {
    if (waited) return { outcome: 'done', branch: 'timeout', output: { branch: 'timeout' } }
    const { eventName, timeout } = step.config
    if (typeof eventName !== 'string') throw unreadable('WAIT_FOR_EVENT')
    const until = typeof timeout === 'number' ? { dueAt: new Date(now.getTime() + timeout * 1000) } : {}
    return { outcome: 'wait', waitingFor: eventName, ...until, output: { eventName } }
  },
}

/** EXIT: `{ reason? }`. */
export const exit: StepRunner = {
  run: ({ step: { config } }): StepResult => ({
    outcome: 'exit',
    ...(typeof config.reason === 'string' ? { reason: config.reason } : {}),
  }),
}

/** The error of a step whose config was never checked. */
export function unreadable(type: string): EngineError {
  return new EngineError('VALIDATION_ERROR', `The config of this ${type} step cannot be read.`)
}

function isUnit(unit: string): unit is keyof typeof UNIT_MS {
  return Object.hasOwn(UNIT_MS, unit)
}
