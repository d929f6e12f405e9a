import * as v from 'valibot'
import type { ContactEvent, EventRecord } from '../ports/store/events.ts'
import { isOwnEvent } from '../values/event-names.ts'
import { say } from '../values/parse.ts'

/** Any valid name of an event. */
export const AnyEventName = v.pipe(v.string(), v.minLength(1), v.maxLength(255))

/** A name that callers may use for their own events. */
export const EventName = v.pipe(
  AnyEventName,
  v.check((name) => !isOwnEvent(name), say('reserved_event', 'is a name only the service itself may use')),
)

/** Whether the event happened to a contact. Workflows run for contacts alone. */
export function isOfContact(event: EventRecord): event is ContactEvent {
  return event.contactId !== undefined
}
