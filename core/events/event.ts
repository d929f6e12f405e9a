import * as v from 'valibot'
import type { ContactEvent, EventRecord } from '../ports/store/events.ts'
import { EVENTS, isOwnEvent } from '../values/event-names.ts'
import { distance, nearest } from '../values/nearest.ts'
import { say } from '../values/parse.ts'
import { oddWhen } from '../values/unknown-keys.ts'

const Name = v.pipe(v.string(), v.minLength(1), v.maxLength(255))
/** Any valid name of an event. It is odd where it only looks like one of the service. */
export const AnyEventName = v.pipe(Name, oddWhen(remarkOn))

const NAMES: readonly string[] = Object.values(EVENTS)
/** How many letters a name may differ from one of the service to be taken for it. */
const MAX_DISTANCE = 2

function remarkOn(name: unknown): string | undefined {
  if (typeof name !== 'string' || name === '*' || NAMES.includes(name)) return undefined
  const begin = name.endsWith('.*') ? name.slice(0, -1) : undefined
  if (begin !== undefined && NAMES.some((each) => each.startsWith(begin))) return undefined
  const meant = nearest(name, NAMES)
  if (name.startsWith('email.'))
    return `is no event of the service${meant ? ` (did you mean ${meant}?)` : ''}; names that begin with email. are its own, so it never happens`
  if (meant === undefined || distance(name.toLowerCase(), meant) > MAX_DISTANCE) return undefined
  return `is no event of the service (did you mean ${meant}?); it happens only if you track it`
}

/** A name that callers may use for their own events. Nothing is odd about one that is tracked, which happens often. */
export const EventName = v.pipe(
  Name,
  v.check((name) => !isOwnEvent(name), say('reserved_event', 'is a name only the service itself may use')),
)

/** Whether the event happened to a contact. Workflows run for contacts alone. */
export function isOfContact(event: EventRecord): event is ContactEvent {
  return event.contactId !== undefined
}
