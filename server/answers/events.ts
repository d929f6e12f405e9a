import * as v from 'valibot'
import type { EventWithContact } from '../../core/ports/store/events.ts'
import { named } from '../../core/values/described.ts'
import { answer } from './answer.ts'
import { CURSOR } from './lists.ts'
import { Address, Count, envelope, Fields, Id, many, Time } from './parts.ts'

const event = {
  id: Id,
  name: v.string(),
  contactId: v.nullable(Id),
  emailId: v.optional(Id),
  data: Fields,
  createdAt: Time,
}

export const EventAnswer = answer('Event', event)

export const ListedEventAnswer = answer(
  'ListedEvent',
  { ...event, contact: v.nullable(v.object({ id: Id, email: Address })) },
  ({ contact, ...event }: EventWithContact) => {
    return { ...event, contact: contact && { id: contact.id, email: contact.email } }
  },
)

export const EventPage = v.object({ events: many(ListedEventAnswer.schema), ...CURSOR })

export const TrackedEvent = envelope(
  named('TrackedEvent', v.object({ contact: Id, event: Id, timestamp: v.pipe(v.string(), v.isoTimestamp()) })),
)

export const EventStats = many(named('EventStat', v.object({ name: v.string(), count: Count, lastAt: Time })))

export const EventNames = named('EventNames', v.object({ eventNames: many(v.string()) }))

export const DeletedEvents = named('DeletedEvents', v.object({ deletedCount: Count }))
