import type { Contact } from '../ports/store/contacts.ts'
import type { NewEvent } from '../ports/store/events.ts'
import type { ContactSource } from '../values/contact-source.ts'
import { type ChangedFields, GIVEN_FIELDS, type GivenFields, withGiven } from '../values/fields-of-contact.ts'
import type { NewId } from '../values/id.ts'
import type { ProjectId } from '../values/project-id.ts'
import type { SubscriptionReason } from '../values/subscription-reason.ts'
import { lesserConsent, type TrackingConsent } from '../values/tracking-consent.ts'
import { changedData, type DataChange } from './contact.ts'
import { withSubscription } from './left-contacts.ts'
import { consentEvent, createdEvent, subscriptionEvent } from './subscription-event.ts'

/** One that is undefined stays as it is with a known contact, and null removes it. */
export interface ContactUpsert extends Omit<ChangedFields, 'email'> {
  readonly projectId: ProjectId
  readonly email: string
  readonly change: DataChange
  /** The subscription of a new contact when the request names none. */
  readonly subscribedWhenNew: boolean
  /** The project's default for new contacts. */
  readonly trackingWhenNew: TrackingConsent
  /** False (public keys): may reduce what the contact agreed to, never extend it. Default true. */
  readonly mayWiden?: boolean
  /** How the person left, where the request says that and not only that there is no subscription. */
  readonly leftBy?: SubscriptionReason | undefined
  readonly reason: SubscriptionReason
  /** By which way a new contact comes in. */
  readonly source: ContactSource
}

export interface UpsertedContact {
  readonly contact: Contact
  readonly isNew: boolean
  /** True when there is something to write. */
  readonly changed: boolean
  /** Events of a new contact, of a changed subscription and of a changed consent. */
  readonly events: readonly NewEvent[]
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
  const before = known?.tracking ?? wanted.trackingWhenNew
  const consent = wanted.tracking ?? before
  const tracking = wanted.mayWiden === false ? lesserConsent(before, consent) : consent
  if (!known) {
    const contact: Contact = {
      ...withGiven({}, wanted),
      id: newId(),
      projectId: wanted.projectId,
      email: wanted.email,
      subscribed: wanted.subscribed ?? wanted.subscribedWhenNew,
      tracking,
      data: changedData(wanted.email, {}, wanted.change),
      createdAt: now,
      updatedAt: now,
      ...(wanted.leftBy === undefined ? {} : { leftBy: wanted.leftBy }),
    }
    return { contact, isNew: true, changed: true, events: [createdEvent(newId, contact, wanted.source)] }
  }
  const data = changedData(known.email, known.data, wanted.change)
  const asked = wanted.subscribed ?? known.subscribed
  const subscribed = asked && wanted.mayWiden === false ? known.subscribed : asked
  const flipped = subscribed !== known.subscribed
  const isLeft = wanted.leftBy !== undefined && known.leftBy === undefined
  const given = { ...withGiven(known, wanted), email: known.email, data, subscribed, tracking }
  const after = flipped || isLeft ? withSubscription(given, subscribed, wanted.leftBy ?? wanted.reason) : given
  const isSame = !isLeft && data === known.data && GIVEN_FIELDS.every((field) => isEqual(after[field], known[field]))
  if (isSame) return { contact: known, isNew: false, changed: false, events: [] }
  const contact: Contact = { ...after, updatedAt: now }
  const events = flipped ? [subscriptionEvent(newId, contact, wanted.reason)] : []
  if (tracking !== known.tracking) events.push(consentEvent(newId, contact, known.tracking, wanted.reason))
  return { contact, isNew: false, changed: true, events }
}

function isEqual(one: GivenFields[keyof GivenFields], other: GivenFields[keyof GivenFields]): boolean {
  return one === other || (one instanceof Date && other instanceof Date && one.getTime() === other.getTime())
}
