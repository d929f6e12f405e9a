import { prefixed, type Words } from './words.ts'

/** The body of tracking. */
const TRACKED = {
  event:
    'The name of the event, at most 255 characters. `email.*`, `contact.subscribed` and some others are for the service alone.',
  email: 'The address of the contact. An unknown contact is created.',
  subscribed:
    'Whether the contact is subscribed from now on. Without it a new contact is, and a known one does not change.',
  tracking: "Which of the contact's openings and clicks may be recorded from now on: `full`, `anonymous` or `none`.",
  data: 'The event\'s data, also stored with the contact, except for `{ "value": …, "persistent": false }`.',
}

/** Events. */
export const eventWords: Words = {
  schemas: {
    Event: 'Something that happened, mostly to a contact.',
    ListedEvent: 'An event, with its contact.',
    TrackedEvent: 'The event that was recorded.',
    EventStat: 'How often an event occurred.',
    EventNames: 'The names of all events.',
    EventUsage: 'Where an event is used.',
    DeletedEvents: 'How many events were deleted.',
  },
  fields: {
    ...prefixed('trackEvent', TRACKED),
    ...prefixed('trackContactEvent', TRACKED),
    id: 'The id of the event.',
    name: 'The name of the event.',
    contactId: 'The id of the contact. null when a mail came in from an address that is no contact.',
    emailId: 'The mail it is about. Absent unless it is about one.',
    data: "The event's own data.",
    'trackEvent.answer.data': 'What was recorded.',
    'trackContactEvent.answer.data': 'What was recorded.',
    'TrackedEvent.contact': 'The id of the contact.',
    'TrackedEvent.event': 'The id of the event.',
    'TrackedEvent.timestamp': 'When it was recorded (ISO 8601, UTC).',
    createdAt: 'When it was recorded (ISO 8601, UTC).',
    contact: 'The contact it happened to. null when a mail came in from an address that is no contact.',
    'contact.id': 'The id of the contact.',
    'contact.email': 'The address of the contact.',
    events: 'The events of this page, newest first.',
    eventName: 'Only events with this name.',
    'listEvents.limit': 'How many events at most: 1 to 100, by default 20.',
    'listContactEvents.limit': 'How many events at most: 1 to 100, by default 20.',
    'getEventStats.startDate': 'Only events from this time on (ISO 8601).',
    'getEventStats.endDate': 'Only events up to this time (ISO 8601).',
    count: 'How often it occurred.',
    lastAt: 'When it occurred last.',
    eventNames: 'The names, those that occur most often first.',
    totalCount: 'How often it occurred.',
    uniqueContacts: 'To how many contacts it happened.',
    canDelete: 'Whether it may be deleted: nothing uses it.',
    usedInSegments: 'The segments whose filter names it.',
    deletedCount: 'How many events were deleted.',
  },
}
