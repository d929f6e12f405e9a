import type { Contact } from '../ports/store/contacts.ts'
import type { Untrusted } from '../values/json.ts'
import { noteWarning } from '../values/parse.ts'
import type { SubscriptionReason } from '../values/subscription-reason.ts'

/** The contact with this subscription. How it leaves is kept with it, so that no file brings it back. */
export function withSubscription(
  { leftBy: _, ...contact }: Contact,
  subscribed: boolean,
  by: SubscriptionReason,
): Contact {
  return subscribed ? { ...contact, subscribed } : { ...contact, subscribed, leftBy: by }
}

/**
 * Whether the contact left: it unsubscribed, complained or bounced, or its address is suppressed. One that was only made
 * without a subscription did not.
 */
export function hasLeft(
  { subscribed, leftBy, email }: Pick<Contact, 'subscribed' | 'leftBy' | 'email'>,
  suppressed: ReadonlySet<string>,
): boolean {
  return !subscribed && (leftBy !== undefined || suppressed.has(email))
}

/** Warns the caller of a call that subscribes a contact again that had left, which it may do only at the person's wish. */
export function warnOfReturn(
  input: Untrusted,
  before: Contact | undefined,
  subscribed: boolean | null | undefined,
): void {
  if (before?.leftBy === undefined || subscribed !== true) return
  const message = `subscribes ${before.email} again, who had left (${before.leftBy}): only at that person's own wish`
  noteWarning(input, { field: 'subscribed', message })
}
