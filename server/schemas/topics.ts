import * as v from 'valibot'
import { CHOICE_SOURCES, STANDINGS } from '../../core/ports/store/topics.ts'
import { named } from '../../core/values/described.ts'
import { Count, Id, many, Time } from './parts.ts'

export const TopicRecord = named(
  'Topic',
  v.object({
    id: Id,
    slug: v.string(),
    name: v.string(),
    description: v.optional(v.string()),
    standing: v.picklist(STANDINGS),
    public: v.boolean(),
    archived: v.boolean(),
    counts: v.object({ subscribed: Count, unsubscribed: Count }),
    createdAt: Time,
    updatedAt: Time,
  }),
)

/** The answer of `GET /topics`. */
export const TopicList = v.object({ data: many(TopicRecord) })

const ContactTopicRecord = named(
  'ContactTopic',
  v.object({
    topicId: Id,
    topic: v.string(),
    name: v.string(),
    subscribed: v.boolean(),
    chosen: v.boolean(),
    at: v.nullable(Time),
    source: v.nullable(v.picklist(CHOICE_SOURCES)),
    text: v.nullable(v.string()),
  }),
)

/** The answer of `GET /contacts/{id}/topics`. */
export const ContactTopicsRecord = named(
  'ContactTopics',
  v.object({ contactId: Id, subscribed: v.boolean(), topics: many(ContactTopicRecord) }),
)
