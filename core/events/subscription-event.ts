import type { Contact } from '../contacts/contact.ts'
import type { NewId } from '../values/id.ts'
import type { EventRecord, SubscriptionReason } from './event.ts'

/** The event that says a contact's subscription is now what the contact says. */
export function subscriptionEvent(
  newId: NewId,
  contact: Pick<Contact, 'id' | 'projectId' | 'subscribed'>,
  reason: SubscriptionReason,
  now: Date,
): EventRecord {
  return {
    id: newId(),
    projectId: contact.projectId,
    name: contact.subscribed ? 'contact.subscribed' : 'contact.unsubscribed',
    contactId: contact.id,
    data: { subscribed: contact.subscribed, reason },
    createdAt: now,
  }
}
