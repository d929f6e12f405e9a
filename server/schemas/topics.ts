import * as v from 'valibot'
import { CHOICE_SOURCES } from '../../core/ports/store/topics.ts'
import { named } from '../../core/values/described.ts'
import { TopicAnswer } from '../answers/topics.ts'
import { Id, many, Time } from './parts.ts'

/** The answer of `GET /topics`. */
export const TopicList = v.object({ data: many(TopicAnswer.schema) })

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
