import type { Contact } from '../ports/store/contacts.ts'
import type { EventRecord } from '../ports/store/events.ts'
import type { NewId } from '../values/id.ts'
import type { ProjectId } from '../values/project-id.ts'
import { lesserConsent, type TrackingConsent } from '../values/tracking-consent.ts'
import { changedData, type DataChange } from './contact.ts'
import type { SubscriptionReason } from './subscription-event.ts'
import { consentEvent, subscriptionEvent } from './subscription-event.ts'

export interface ContactUpsert {
  readonly projectId: ProjectId
  readonly email: string
  readonly change: DataChange
  /** The requested subscription; undefined leaves a known contact's unchanged. */
  readonly subscribed: boolean | undefined
  /** The subscription of a new contact when the request names none. */
  readonly subscribedWhenNew: boolean
  /** The requested consent to tracking; undefined leaves a known contact's unchanged. */
  readonly tracking?: TrackingConsent | undefined
  /** The project's default for new contacts. */
  readonly trackingWhenNew: TrackingConsent
  /** False (public keys): may reduce what the contact agreed to, never extend it. Default true. */
  readonly mayWiden?: boolean
  readonly reason: SubscriptionReason
}

export interface UpsertedContact {
  readonly contact: Contact
  readonly isNew: boolean
  /** True when there is something to write. */
  readonly changed: boolean
  /** Events for a changed subscription and a changed consent; a new contact has none. */
  readonly events: readonly EventRecord[]
}

/**
 * Computes the contact after a request that names its address: new, changed or unchanged. Pure. Throws EngineError
 * `VALIDATION_ERROR` on `data` when it would exceed a contact's limits.
 */
export function upsertContact(
  known: Contact | undefined,
  wanted: ContactUpsert,
  newId: NewId,
  now: Date,
): UpsertedContact {
  const tracking = consentAfter(known?.tracking ?? wanted.trackingWhenNew, wanted)
  if (!known) {
    const contact: Contact = {
      id: newId(),
      projectId: wanted.projectId,
      email: wanted.email,
      subscribed: wanted.subscribed ?? wanted.subscribedWhenNew,
      tracking,
      data: changedData(wanted.email, {}, wanted.change),
      createdAt: now,
      updatedAt: now,
    }
    return { contact, isNew: true, changed: true, events: [] }
  }
  const data = changedData(known.email, known.data, wanted.change)
  const asked = wanted.subscribed ?? known.subscribed
  const subscribed = asked && wanted.mayWiden === false ? known.subscribed : asked
  const flipped = subscribed !== known.subscribed
  const isSame = !flipped && data === known.data && tracking === known.tracking
  if (isSame) return { contact: known, isNew: false, changed: false, events: [] }
  const contact = { ...known, data, subscribed, tracking, updatedAt: now }
  const events = flipped ? [subscriptionEvent(newId, contact, wanted.reason)] : []
  if (tracking !== known.tracking) events.push(consentEvent(newId, contact, known.tracking, wanted.reason))
  return { contact, isNew: false, changed: true, events }
}

function consentAfter(before: TrackingConsent, { tracking, mayWiden }: ContactUpsert): TrackingConsent {
  if (tracking === undefined) return before
  return mayWiden === false ? lesserConsent(before, tracking) : tracking
}
