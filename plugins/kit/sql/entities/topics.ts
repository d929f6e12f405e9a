import { defineEntity, p } from '@mikro-orm/core'
import type { ProjectId } from '../../../../core/values/project-id.ts'

/** Topics, one per row. */
export const TopicRow = defineEntity({
  name: 'TopicRow',
  tableName: 'topics',
  properties: {
    id: p.uuid().primary(),
    projectId: p.uuid(),
    slug: p.text(),
    formerSlugs: p.json().$type<readonly string[]>().nullable(),
    name: p.text(),
    description: p.text().nullable(),
    standing: p.text(),
    public: p.boolean(),
    archived: p.boolean().nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  indexes: [{ name: 'topics_page', properties: ['projectId', 'id'] }],
  uniques: [{ name: 'topics_slug', properties: ['projectId', 'slug'] }],
})

/** What contacts chose, one row per contact and topic. Counted by triggers. */
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
