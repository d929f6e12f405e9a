import { defineEntity, p } from '@mikro-orm/core'
import { Topic } from '../../../../core/ports/store/topics.ts'
import type { ProjectId } from '../../../../core/values/project-id.ts'
import { entityOf } from '../engine/entity-of.ts'

/** Topics, one per row. */
export const TopicRow = entityOf(Topic, {
  name: 'TopicRow',
  tableName: 'topics',
  indexes: [{ name: 'topics_page', properties: ['projectId', 'id'] }],
  uniques: [{ name: 'topics_slug', properties: ['projectId', 'slug'] }],
})

/** The choices of contacts, one row per contact and topic. Counted by triggers. */
export const TopicChoiceRow = defineEntity({
  name: 'TopicChoiceRow',
  tableName: 'topic_choices',
  properties: {
    contactId: p.uuid().primary(),
    topicId: p.uuid().primary(),
    projectId: p.uuid().$type<ProjectId>(),
    subscribed: p.boolean(),
    at: p.datetime(3),
    source: p.text(),
    text: p.text().nullable(),
  },
  indexes: [{ name: 'topic_choices_topic', properties: ['topicId', 'subscribed', 'contactId'] }],
})
