import * as v from 'valibot'
import { AnyEventName } from '../../events/event.ts'
import { say } from '../../values/parse.ts'
import { defineStep, MAX_WAIT, Positive } from './step-definition.ts'

const Config = v.object({
  /** The event to wait for. */
  eventName: AnyEventName,
  /** For how long, in seconds; by default for ever. */
  timeout: v.nullish(
    v.pipe(
      Positive,
      v.check((seconds) => seconds <= MAX_WAIT, say('too_big', 'must be at most 365 days, in seconds')),
    ),
  ),
})

/** WAIT_FOR_EVENT: waits for an event of the contact, which the dispatcher notices (`dispatch/wake-waiting.ts`). */
export const waitForEvent = defineStep({
  type: 'WAIT_FOR_EVENT',
  name: 'Wait for event',
  Config,
  branches: { names: () => ['event', 'timeout'], required: false },
  uses: ({ eventName }) => [{ kind: 'event', name: eventName }],
  run: ({ config: { eventName, timeout }, waited, now }) => {
    if (waited) return { outcome: 'done', branch: 'timeout', output: { branch: 'timeout' } }
    const until = timeout == null ? {} : { dueAt: new Date(now.getTime() + timeout * 1000) }
    return { outcome: 'wait', waitingFor: eventName, ...until, output: { eventName } }
  },
})
