import * as v from 'valibot'
import { CHOICE_SOURCES, Topic } from '../../core/ports/store/topics.ts'
import type { ContactTopics, CountedTopic } from '../../core/subscriptions/topics.ts'
import { answer, answerOf } from './answer.ts'
import { Count, Id, many, Time } from './parts.ts'

export const TopicAnswer = answerOf(
  Topic,
  { archived: v.boolean(), counts: v.object({ subscribed: Count, unsubscribed: Count }) },
  ({ topic, counts }: CountedTopic) => ({ ...topic, archived: topic.archived ?? false, counts }),
)

export const TopicList = v.object({ data: many(TopicAnswer.schema) })

/** A topic as a contact has it, with the proof of its choice. */
const ContactTopicAnswer = answer(
  'ContactTopic',
  {
    topicId: Id,
    topic: v.string(),
    name: v.string(),
    subscribed: v.boolean(),
    chosen: v.boolean(),
    at: v.nullable(Time),
    source: v.nullable(v.picklist(CHOICE_SOURCES)),
    text: v.nullable(v.string()),
  },
  ({ topic: { id, slug, name }, choice, subscribed }: ContactTopics['topics'][number]) => {
    return { ...choice, topicId: id, topic: slug, name, subscribed, chosen: choice !== undefined }
  },
)

export const ContactTopicsAnswer = answer(
  'ContactTopics',
  { contactId: Id, subscribed: v.boolean(), topics: many(ContactTopicAnswer.schema) },
  ({ contact: { id, subscribed }, topics }: ContactTopics) => {
    return { contactId: id, subscribed, topics: topics.map(ContactTopicAnswer.of) }
  },
)
