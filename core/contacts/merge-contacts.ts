import * as v from 'valibot'
import { invalidField } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { Contact } from '../ports/store/contacts.ts'
import type { EventRecord } from '../ports/store/events.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Repositories } from '../ports/store/store.ts'
import type { InputOf } from '../values/input.ts'
import { lesserConsent } from '../values/tracking-consent.ts'
import { changedData, stricter } from './contact.ts'
import { withSubscription } from './left-contacts.ts'
import { consentEvent, mergedEvent, subscriptionEvent } from './subscription-event.ts'
import { choiceWrites, type WantedChoice } from './topic-choices.ts'

export const MergeContacts = v.object({
  /** The id of the other contact, which is gone afterwards. */
  from: v.string(),
})

/** The contact that is merged into another one. */
export interface MergeContactsInput extends InputOf<typeof MergeContacts> {}

/**
 * Makes one contact of two inside the transaction: the first keeps its address and its own data, gets what is known only
 * of the second, whose history becomes its own, and the stricter consent of both. Answers undefined when one is missing.
 * Throws EngineError `VALIDATION_ERROR` when the data of both is too much for one.
 */
export async function mergeContacts(
  tx: Repositories,
  { newId, now: clock }: Kit,
  project: Project,
  id: string,
  from: string,
): Promise<Contact | undefined> {
  const now = clock()
  const found = await tx.contacts.lockById(project.id, [id, from])
  const kept = found.find((contact) => contact.id === id)
  const gone = found.find((contact) => contact.id === from)
  if (kept === undefined || gone === undefined) return undefined
  const merged = { ...mergedContact(kept, gone), updatedAt: now }
  await tx.contacts.update(merged)
  const events: EventRecord[] = [mergedEvent(newId, merged, gone)]
  if (merged.subscribed !== kept.subscribed) events.push(subscriptionEvent(newId, merged, 'api'))
  if (merged.tracking !== kept.tracking) events.push(consentEvent(newId, merged, kept.tracking, 'api'))
  events.push(...(await mergeChoices(tx, newId, kept, gone)))
  await tx.events.record(events)
  const refusal = await tx.suppressions.find(project.id, gone.email, now)
  const own = await tx.suppressions.find(project.id, kept.email, now)
  // a bounce is about the mailbox, the others are about the person
  if (refusal && refusal.reason !== 'BOUNCE' && !own) {
    await tx.suppressions.put({ ...refusal, id: newId(), email: kept.email, createdAt: now })
  }
  await tx.merges.absorb(project.id, id, gone, now)
  return merged
}

/** The contact that is left of the two of one person. */
function mergedContact(kept: Contact, gone: Contact): Contact {
  const news = Object.entries(gone.data).filter(([key]) => !Object.hasOwn(kept.data, key))
  let data: Contact['data']
  try {
    data = changedData(kept.email, kept.data, { set: new Map(news), unset: new Set(), variables: {} })
  } catch {
    throw invalidField(
      'from',
      'too_big',
      'has more data than fits into one contact: remove what is not needed from either',
    )
  }
  const contact: Contact = {
    ...kept,
    data,
    tracking: lesserConsent(kept.tracking, gone.tracking),
    ...stricter(kept, gone),
  }
  // that mail to the other address bounced is no word of the person
  if (gone.subscribed || gone.leftBy === 'bounce') return contact
  const { leftBy = kept.leftBy } = gone
  if (leftBy !== undefined) return kept.leftBy ? contact : withSubscription(contact, false, leftBy)
  return { ...contact, subscribed: false }
}

/** Gives the one what the other chose of topics; where they differ, the person does not get the topic. */
async function mergeChoices(
  tx: Repositories,
  newId: Kit['newId'],
  kept: Contact,
  gone: Contact,
): Promise<readonly EventRecord[]> {
  const all = await tx.topics.choices(kept.projectId, [kept.id, gone.id])
  const own = all.filter(({ contactId }) => contactId === kept.id)
  const topics = new Map((await tx.topics.all(kept.projectId)).map((topic) => [topic.id, topic]))
  const wanted = all.flatMap(({ contactId, topicId, subscribed, at, source, text }): WantedChoice[] => {
    const topic = topics.get(topicId)
    const before = own.find((choice) => choice.topicId === topicId)
    if (contactId === kept.id || topic === undefined || (before && (!before.subscribed || subscribed))) return []
    return [{ topic, subscribed, at, source, ...(text === undefined ? {} : { text }) }]
  })
  const { choices, events } = choiceWrites(kept, own, wanted, 'api', newId)
  await tx.topics.choose(choices)
  return events
}
