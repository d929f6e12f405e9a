import * as v from 'valibot'
import { named } from '../../core/values/described.ts'
import { Address, Count, envelope, Fields, Id, many, Time, Uses } from './parts.ts'

const event = {
  id: Id,
  name: v.string(),
  contactId: v.nullable(Id),
  emailId: v.optional(Id),
  data: Fields,
  createdAt: Time,
}

export const EventOnWire = named('Event', v.object(event))

export const ListedEvent = named(
  'ListedEvent',
  v.object({ ...event, contact: v.nullable(v.object({ id: Id, email: Address })) }),
)

export const EventPage = v.object({
  events: many(ListedEvent),
  cursor: v.nullable(v.string()),
  hasMore: v.boolean(),
})

export const TrackedEvent = envelope(
  named('TrackedEvent', v.object({ contact: Id, event: Id, timestamp: v.pipe(v.string(), v.isoTimestamp()) })),
)

export const EventStats = many(named('EventStat', v.object({ name: v.string(), count: Count, lastAt: Time })))

export const EventNames = named('EventNames', v.object({ eventNames: many(v.string()) }))

const { usedInSegments, usedInWorkflows } = Uses

export const EventUsage = named(
  'EventUsage',
  v.object({ usedInSegments, usedInWorkflows, totalCount: Count, uniqueContacts: Count, canDelete: v.boolean() }),
)

export const DeletedEvents = named('DeletedEvents', v.object({ deletedCount: Count }))
