/* SQL by hand: whole lists of contacts and choices in one statement, and sums over the counters that triggers keep. */
import type {
  Topic,
  TopicChoice,
  TopicCounts,
  TopicRepository,
  TopicUsers,
} from '../../../../../core/ports/store/topics.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import type { Sql } from '../../engine/dialect.ts'
import { inOrder } from '../../engine/in-order.ts'
import { SluggedNoun } from '../../engine/project-noun.ts'
import { Rows } from '../../engine/rows.ts'

const NEWEST = { orderBy: { id: 'desc' } } as const

/** The topics, and what contacts chose. */
export class SqlTopics extends SluggedNoun<Topic> implements TopicRepository {
  protected readonly rows = new Rows(this.access, this.tables.topics)
  readonly #choices = new Rows(this.access, this.tables.topicChoices)

  async hold(projectId: ProjectId, id: string): Promise<boolean> {
    return (await this.rows.read('"id"', { projectId, id }, { lock: 'keep' })).length > 0
  }

  all(projectId: ProjectId): Promise<readonly Topic[]> {
    return this.rows.list({ projectId }, { orderBy: { id: 'asc' } })
  }

  forget(projectId: ProjectId, topicId: string, limit: number): Promise<number> {
    const sql = `delete from "topic_choices" where "topic_id" = ? and "contact_id" in (select "contact_id"
      from "topic_choices" where "topic_id" = ? and ("project_id" = ?) is true limit ?)`
    return this.access.run(sql, [topicId, topicId, projectId, limit])
  }

  async users(projectId: ProjectId, topicId: string): Promise<TopicUsers> {
    const templates = new Rows(this.access, this.tables.templates)
    const campaigns = new Rows(this.access, this.tables.campaigns)
    const going = { projectId, topicId, status: { $nin: ['CANCELLED', 'FAILED'] } } as const
    return {
      templates: await templates.some(['id', 'name'], { projectId, topicId }, NEWEST),
      campaigns: await campaigns.some(['id', 'name', 'status'], going, NEWEST),
    }
  }

  async counts(projectId: ProjectId): Promise<ReadonlyMap<string, TopicCounts>> {
    const sql = `select "name", "kind", sum("count") as "count" from "tallies"
      where "project_id" = ? and "subject" = 'topic' group by "name", "kind" having sum("count") > 0`
    const counts = new Map<string, TopicCounts>()
    for (const { name, kind, count } of await this.access.all(sql, [projectId])) {
      const { subscribed = 0, unsubscribed = 0 } = counts.get(String(name)) ?? {}
      const known = { subscribed, unsubscribed }
      counts.set(String(name), { ...known, [String(kind)]: Number(count) })
    }
    return counts
  }

  async choices(projectId: ProjectId, contactIds: readonly string[]): Promise<readonly TopicChoice[]> {
    if (contactIds.length === 0) return []
    const { dialect } = this
    const { topicChoices } = this.tables
    const sql = `select ${topicChoices.list} from "topic_choices"
      where ${dialect.unindexed('"project_id"')} and "contact_id" ${dialect.listed('uuid')}`
    const rows = await this.access.all(sql, [projectId, dialect.list(contactIds)])
    return rows.map((row) => topicChoices.record(row))
  }

  choose(
    choices: readonly TopicChoice[],
    undone: readonly Pick<TopicChoice, 'contactId' | 'topicId'>[] = [],
  ): Promise<void> {
    const { topicChoices } = this.tables
    // in one order, so that transactions do not wait for each other in a circle
    const rows = inOrder([...choices], ({ contactId, topicId }) => `${contactId} ${topicId}`)
    return this.access.write(async (session) => {
      await topicChoices.insertShort(session, rows, topicChoices.overwrite(CHOSEN))
      for (const { contactId, topicId } of undone) await this.#choices.in(session).remove({ contactId, topicId })
    })
  }

  async without(projectId: ProjectId, topicId: string, contactIds: readonly string[]): Promise<ReadonlySet<string>> {
    if (contactIds.length === 0) return new Set()
    const { dialect } = this
    const { text, params } = withoutTopic(projectId, topicId)
    const sql = `select c."id" from "contacts" as c where c."id" ${dialect.listed('uuid')}
      and (c."project_id" = ?) is true and ${text}`
    const all = [dialect.list([...new Set(contactIds)]), projectId, ...params]
    return new Set((await this.access.all(sql, all)).map((row) => String(row.id)))
  }
}

/**
 * A condition, never NULL: the contact `c` does not get mail of the topic. A choice counts before the standing; a topic
 * that is gone keeps no contact out.
 */
export function withoutTopic(projectId: ProjectId, topicId: string): Sql {
  return {
    text: `not coalesce(
      (select t."subscribed" from "topic_choices" as t where t."contact_id" = c."id" and t."topic_id" = ?),
      (select t."standing" = 'in' from "topics" as t where t."id" = ? and t."project_id" = ?), true)`,
    params: [topicId, topicId, projectId],
  }
}

const CHOSEN = { on: ['contactId', 'topicId'] } as const
