import type { Contact } from '../ports/store/contacts.ts'
import type { ContactEvent, NewEvent } from '../ports/store/events.ts'
import type { ContactSource } from '../values/contact-source.ts'
import { EVENTS } from '../values/event-names.ts'
import { type NewId, stamp } from '../values/id.ts'
import type { SubscriptionReason } from '../values/subscription-reason.ts'
import type { TrackingConsent } from '../values/tracking-consent.ts'

/** The event of a contact that has come in. */
export function createdEvent(
  newId: NewId,
  { id: contactId, projectId, subscribed }: Pick<Contact, 'id' | 'projectId' | 'subscribed'>,
  source: ContactSource,
): NewEvent {
  const data = { subscribed, source }
  return { ...stamp(newId), projectId, name: EVENTS.created, contactId, data, ifAwaited: true }
}

/** The event for a changed subscription, taken from the contact as it is now; by a form, with that form's id. */
export function subscriptionEvent(
  newId: NewId,
  contact: Pick<Contact, 'id' | 'projectId' | 'subscribed'>,
  reason: SubscriptionReason,
  formId?: string,
): ContactEvent {
  return {
    ...stamp(newId),
    projectId: contact.projectId,
    name: contact.subscribed ? EVENTS.subscribed : EVENTS.unsubscribed,
    contactId: contact.id,
    data: { subscribed: contact.subscribed, reason, ...(formId === undefined ? {} : { formId }) },
  }
}

/** The event for a changed consent to tracking, taken from the contact as it is now. */
export function consentEvent(
  newId: NewId,
  { id: contactId, projectId, tracking }: Pick<Contact, 'id' | 'projectId' | 'tracking'>,
  before: TrackingConsent,
  reason: SubscriptionReason,
): ContactEvent {
  const data = { tracking, before, reason }
  return { ...stamp(newId), projectId, name: EVENTS.tracking, contactId, data }
}

/** The event of a contact into which another one was merged. */
export function mergedEvent(newId: NewId, kept: Contact, gone: Pick<Contact, 'id' | 'email'>): ContactEvent {
  const { id: contactId, projectId, email: keptEmail } = kept
  const data = { keptId: contactId, keptEmail, mergedId: gone.id, mergedEmail: gone.email }
  return { ...stamp(newId), projectId, name: EVENTS.merged, contactId, data }
}
