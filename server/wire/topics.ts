import type { ContactTopics } from '../../core/subscriptions/topics.ts'
import type { Wire } from '../schemas/parts.ts'
import type { ContactTopicsRecord } from '../schemas/topics.ts'

/** The topics of a contact and whether it gets their mail, with the proof of its choices. */
export function contactTopicsOnWire({ contact, topics }: ContactTopics): Wire<typeof ContactTopicsRecord> {
  return {
    contactId: contact.id,
    subscribed: contact.subscribed,
    topics: topics.map(({ topic: { id, slug, name }, choice, subscribed }) => ({
      topicId: id,
      topic: slug,
      name,
      subscribed,
      chosen: choice !== undefined,
      at: choice?.at ?? null,
      source: choice?.source ?? null,
      text: choice?.text ?? null,
    })),
  }
}
