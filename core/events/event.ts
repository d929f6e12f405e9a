import * as v from 'valibot'
import { isReservedEvent } from '../values/event-names.ts'
import { say } from '../values/parse.ts'

/** A name an event may have. */
export const AnyEventName = v.pipe(v.string(), v.minLength(1), v.maxLength(255))

/** A name others than the service itself may use. */
export const EventName = v.pipe(
  AnyEventName,
  v.check((name) => !isReservedEvent(name), say('reserved_event', 'is a name only the service itself may use')),
)
