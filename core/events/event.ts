import * as v from 'valibot'
import { say } from '../values/parse.ts'

/** True for names only the service itself may use (specification, `POST /v1/track`; `contact.tracking` is ours besides). */
export function isReservedEvent(name: string): boolean {
  return (
    name.startsWith('email.') ||
    name === 'contact.subscribed' ||
    name === 'contact.unsubscribed' ||
    name === 'contact.tracking' ||
    /^segment\..+\.(entry|exit)$/.test(name)
  )
}

/** A name an event may have. */
export const AnyEventName = v.pipe(v.string(), v.minLength(1), v.maxLength(255))

/** A name others than the service itself may use. */
export const EventName = v.pipe(
  AnyEventName,
  v.check((name) => !isReservedEvent(name), say('reserved_event', 'is a name only the service itself may use')),
)
