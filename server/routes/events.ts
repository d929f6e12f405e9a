import type { Engine } from '../../core/engine.ts'
import { EventPeriod, ListEvents } from '../../core/events/events.ts'
import { TrackAnyBody } from '../../core/events/track-event.ts'
import type { EventWithContact } from '../../core/ports/store/events.ts'
import type { Page } from '../../core/values/page.ts'
import { CursorQuery } from '../../core/values/page.ts'
import { DeletedEvents, EventNames, EventPage, EventStats, ListedEventAnswer, TrackedEvent } from '../answers/events.ts'
import { EventUsageAnswer } from '../answers/uses.ts'
import type { ApiRequest } from '../http/requests.ts'
import { type KeyRoute, ok, type Reply } from '../http/route.ts'
import { EXAMPLE_IDS } from '../openapi/example-ids.ts'
import { track } from './v1.ts'

/** Routes for the events of a project's contacts. */
export const eventRoutes: readonly KeyRoute[] = [
  {
    method: 'POST',
    path: '/events/track',
    operation: 'trackContactEvent',
    audit: 'never',
    summary: 'Record an event for a contact, by address or id',
    description: 'Like `POST /v1/track`, which also takes a public key, but here the contact may be given by id.',
    access: 'secret',
    area: 'track',
    body: 'json',
    takes: { body: TrackAnyBody },
    gives: { 200: TrackedEvent },
    idempotent: 'room',
    examples: [
      { summary: 'By address', body: { email: 'ada@example.org', event: 'signed-up' } },
      { summary: 'By id', body: { contactId: EXAMPLE_IDS.contact, name: 'signed-up', data: { plan: 'pro' } } },
    ],
    handle: (engine, request) => track(engine, request, true),
  },
  {
    method: 'GET',
    path: '/events',
    operation: 'listEvents',
    summary: 'List events',
    description: 'Newest first, each with its contact. `eventName` narrows the list.',
    access: 'secret',
    takes: { query: ListEvents },
    gives: { 200: EventPage },
    examples: [{ query: { eventName: 'signed-up', limit: 10 } }],
    async handle(engine, { caller, query }) {
      return eventsOnWire(await engine.events.list(caller.project, query))
    },
  },
  {
    method: 'GET',
    path: '/events/stats',
    operation: 'getEventStats',
    summary: 'Count events by name',
    description: 'How often each occurred, and when it last occurred.',
    access: 'secret',
    takes: { query: EventPeriod },
    gives: { 200: EventStats },
    examples: [{ query: { startDate: '2026-01-01T00:00:00Z', endDate: '2026-12-31T00:00:00Z' } }],
    async handle(engine, { caller, query }) {
      const stats = await engine.events.stats(caller.project, query)
      return ok(stats.map(({ name, count, lastAt }) => ({ name, count, lastAt })))
    },
  },
  {
    method: 'GET',
    path: '/events/contact/:contactId',
    operation: 'listContactEvents',
    summary: 'List the events of a contact',
    description: 'Newest first.',
    access: 'secret',
    takes: { query: CursorQuery },
    gives: { 200: EventPage },
    examples: [{ query: { limit: 10 } }],
    async handle(engine, request) {
      return eventsOnWire(
        await engine.events.ofContact(request.caller.project, request.param('contactId'), request.query),
      )
    },
  },
  {
    method: 'GET',
    path: '/events/names',
    operation: 'listEventNames',
    summary: 'List the names of all events',
    description: 'Those that occur most often first.',
    access: 'secret',
    gives: { 200: EventNames },
    async handle(engine, { caller }) {
      return ok({ eventNames: await engine.events.names(caller.project) })
    },
  },
  {
    method: 'GET',
    path: '/events/:eventName/usage',
    operation: 'getEventUsage',
    summary: 'Find where an event is used',
    description: 'Lists the segments and workflows that use it, and whether it can be deleted.',
    access: 'secret',
    gives: { 200: EventUsageAnswer.schema },
    handle: (engine, request) => usage(engine, request, request.param('eventName')),
  },
  {
    method: 'GET',
    // This does not hide a contact's events, since no contact has the id "usage"
    path: '/events/contact/usage',
    operation: 'getContactEventUsage',
    summary: 'Find where the event named `contact` is used',
    description: "An event named `contact` needs this path, since its own would be another endpoint's.",
    access: 'secret',
    gives: { 200: EventUsageAnswer.schema },
    handle: (engine, request) => usage(engine, request, 'contact'),
  },
  {
    method: 'DELETE',
    path: '/events/:eventName',
    operation: 'deleteEvents',
    summary: 'Delete all events with a name',
    description: "409 while a segment or workflow uses it. The service's own events cannot be deleted.",
    access: 'secret',
    gives: { 200: DeletedEvents },
    async handle(engine, request) {
      return ok({ deletedCount: await engine.events.remove(request.caller.project, request.param('eventName')) })
    },
  },
]

async function usage(engine: Engine, { caller }: ApiRequest, eventName: string): Promise<Reply> {
  return ok(EventUsageAnswer.of(await engine.events.usage(caller.project, eventName)))
}

function eventsOnWire({ items, cursor }: Page<EventWithContact>): Reply {
  return ok({ events: items.map(ListedEventAnswer.of), cursor: cursor ?? null, hasMore: cursor !== undefined })
}
