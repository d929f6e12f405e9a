import { EVENTS } from './event-names.ts'
import { idAt } from './id.ts'

/** The names of events that have their own type. */
export const TYPED_EVENTS = [
  EVENTS.sent,
  EVENTS.delivery,
  EVENTS.open,
  EVENTS.click,
  EVENTS.bounce,
  EVENTS.complaint,
  EVENTS.received,
  EVENTS.replied,
  EVENTS.subscribed,
  EVENTS.unsubscribed,
] as const

/** The types of activity in the list. Every stored event is of one of these types; the last three are no events. */
export const ACTIVITY_TYPES = [
  'event.triggered',
  ...TYPED_EVENTS,
  'campaign.sent',
  'workflow.started',
  'workflow.completed',
] as const
export type ActivityType = (typeof ACTIVITY_TYPES)[number]

/** The id of an activity that is no event, made of the moment and the id of what it reports. */
export function activityId(type: 'workflow.started' | 'workflow.completed' | 'campaign.sent', at: Date, of: string) {
  return idAt(at, { 'workflow.started': 2, 'workflow.completed': 3, 'campaign.sent': 4 }[type], of)
}

const TYPED: ReadonlySet<string> = new Set(TYPED_EVENTS)

/** The type of an event: its own name, or `event.triggered` for what customers track and the rest. */
export function activityTypeOf(eventName: string): ActivityType {
  return TYPED.has(eventName) ? (eventName as ActivityType) : 'event.triggered'
}
