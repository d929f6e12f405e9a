import type { ContactTopics, CountedTopic } from '../../core/subscriptions/topics.ts'
import type { Wire } from '../schemas/parts.ts'
import type { ContactTopicsRecord, TopicRecord } from '../schemas/topics.ts'

export function topicOnWire({ topic, counts }: CountedTopic): Wire<typeof TopicRecord> {
  const { id, slug, name, description, standing, public: shown, archived = false, createdAt, updatedAt } = topic
  return { id, slug, name, description, standing, public: shown, archived, counts, createdAt, updatedAt }
}

/** What a contact gets, topic by topic, with the proof of what it chose. */
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
