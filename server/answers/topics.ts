import * as v from 'valibot'
import { Topic } from '../../core/ports/store/topics.ts'
import type { CountedTopic } from '../../core/subscriptions/topics.ts'
import { Count } from '../schemas/parts.ts'
import { answerOf } from './answer-of.ts'

export const TopicAnswer = answerOf(Topic, {
  archived: v.boolean(),
  counts: v.object({ subscribed: Count, unsubscribed: Count }),
})

export function topicOnWire({ topic, counts }: CountedTopic) {
  return TopicAnswer.of(topic, { archived: topic.archived ?? false, counts })
}
