import type { Contact } from '../ports/store/contacts.ts'
import { DELETED_RECIPIENT, type Email } from '../ports/store/emails.ts'
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
 * Whether the contact left: it unsubscribed, complained or bounced, or its address is suppressed, or the one by which it
 * was `named`. One that was only made without a subscription did not.
 */
export function hasLeft(
  { subscribed, leftBy, email }: Pick<Contact, 'subscribed' | 'leftBy' | 'email'>,
  suppressed: ReadonlySet<string>,
  named = email,
): boolean {
  return !subscribed && (leftBy !== undefined || suppressed.has(email) || suppressed.has(named))
}

/** Whether a mail that bounced went to the contact's own address: a bounce of one that it had before is no matter of its own. */
export function isOwnBounce({ email }: Pick<Contact, 'email'>, { to }: Pick<Email, 'to'>): boolean {
  return to === email || to === DELETED_RECIPIENT
}

/** Warns the caller of a call that names an address whose contact was merged into another, which the call is about. */
export function warnOfMerged(input: Untrusted, named: string, before: Contact | undefined): void {
  if (before === undefined || before.email === named) return
  const message = `was merged into the contact ${before.email} and stands for it`
  noteWarning(input, { field: 'email', message })
}

/** Warns the caller of a call that subscribes a contact again that had left, which it may do only at the person's wish. */
export function warnOfReturn(
  input: Untrusted,
  before: Pick<Contact, 'email' | 'leftBy'> | undefined,
  subscribed: boolean | null | undefined,
): void {
  if (before?.leftBy === undefined || subscribed !== true) return
  const message = `subscribes ${before.email} again, who had left (${before.leftBy}): only at that person's own wish`
  noteWarning(input, { field: 'subscribed', message })
}
