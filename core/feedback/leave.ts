import { withSubscription } from '../contacts/left-contacts.ts'
import { subscriptionEvent } from '../contacts/subscription-event.ts'
import type { Email } from '../ports/store/emails.ts'
import type { Repositories } from '../ports/store/store.ts'
import type { NewId } from '../values/id.ts'

/**
 * Unsubscribes the contacts of mails whose recipients said so at the provider, as the link in a mail does. Answers the mails
 * that changed anything. Nothing is ever subscribed again.
 */
export async function leaveIn(
  tx: Repositories,
  mails: readonly Email[],
  newId: NewId,
  now: Date,
): Promise<ReadonlySet<Email>> {
  const changed = new Set<Email>()
  for (const [projectId, each] of Map.groupBy(mails, (mail) => mail.projectId)) {
    const ids = [...new Set(each.flatMap(({ contactId }) => contactId ?? []))].toSorted()
    const contacts = new Map((await tx.contacts.lockById(projectId, ids)).map((contact) => [contact.id, contact]))
    for (const mail of each) {
      const before = contacts.get(mail.contactId ?? '')
      if (before === undefined || (!before.subscribed && before.leftBy === 'link')) continue
      const contact = { ...withSubscription(before, false, 'link'), updatedAt: now }
      contacts.set(contact.id, contact)
      await tx.contacts.update(contact)
      if (before.subscribed)
        await tx.events.record([{ ...subscriptionEvent(newId, contact, 'link'), emailId: mail.id }])
      await tx.emails.unsubscribedBy(projectId, mail.id, now)
      changed.add(mail)
    }
  }
  return changed
}
