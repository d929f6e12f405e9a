/* SQL by hand: conditions within JSON, and rows that no other process has locked. */
import {
  type Campaign,
  type CampaignFilter,
  type CampaignFolder,
  type CampaignNeeds,
  type CampaignRepository,
  type CampaignStatus,
  type FanOut,
  type PublishedCampaign,
  type PublishedPage,
  VARIANTS,
} from '../../../../../core/ports/store/campaigns.ts'
import type { NumberedRequest } from '../../../../../core/values/page.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { Conditions } from '../../engine/conditions.ts'
import type { Dialect } from '../../engine/dialect.ts'
import { Repository } from '../../engine/repository.ts'
import type { Params } from '../../engine/session.ts'
import { holdingCampaigns } from './holding-campaigns.ts'

/** The campaigns themselves. Their mails are in campaign-mails.ts. */
export class SqlCampaigns extends Repository implements CampaignRepository {
  async find(projectId: ProjectId, id: string): Promise<Campaign | undefined> {
    return (await this.#where('"project_id" = ? and "id" = ?', [projectId, id]))[0]
  }

  async lock(projectId: ProjectId, id: string): Promise<Campaign | undefined> {
    const held = this.dialect.lockRows('"campaigns"')
    return (await this.#where(`"project_id" = ? and "id" = ?${held}`, [projectId, id]))[0]
  }

  page(projectId: ProjectId, filter: CampaignFilter, page: NumberedRequest): Promise<readonly Campaign[]> {
    const where = chosen(this.dialect, projectId, filter)
    if (page.after) where.and('"id" < ?', page.after.id)
    const text = `${where.text} order by "id" desc limit ? offset ?`
    return this.#where(text, [...where.params, page.limit + 1, page.offset ?? 0])
  }

  async count(projectId: ProjectId, filter: CampaignFilter): Promise<number> {
    const where = chosen(this.dialect, projectId, filter)
    const sql = `select count(*) as "count" from "campaigns" where ${where.text}`
    const [row] = await this.access.all(sql, where.params)
    return Number(row?.count)
  }

  async folders(projectId: ProjectId): Promise<readonly CampaignFolder[]> {
    const sql = `select "folder", count(*) filter (where ${LISTED}) as "count" from "campaigns"
      where "project_id" = ? and folder is not null group by "folder" order by "folder" limit 1000`
    const rows = await this.access.all(sql, [projectId])
    return rows.map(({ folder, count }) => ({ name: String(folder), count: Number(count) }))
  }

  async published(
    projectId: ProjectId,
    { limit, offset, topicId }: PublishedPage,
  ): Promise<readonly PublishedCampaign[]> {
    const { campaigns } = this.tables
    const columns = campaigns.pick('id', 'subject', 'preheader', 'sentAt', 'contentId')
    // repeats the condition of the index, so that both databases use it
    const where = new Conditions().and(`"project_id" = ? and published_at is not null and "status" = 'SENT'`, projectId)
    where.equal('"topic_id"', topicId)
    const sql = `select ${columns.map(({ name }) => `"${name}"`).join(', ')},
        "fan_out" -> 'test' ->> 'winner' as "winner" from "campaigns"
      where ${where.text} order by "sent_at" desc, "id" desc limit ? offset ?`
    const rows = await this.access.all(sql, [...where.params, limit + 1, offset])
    return rows.map((row) => ({ ...campaigns.record(row), winner: VARIANTS.find((name) => name === row.winner) }))
  }

  async except(projectId: ProjectId, statuses: readonly CampaignStatus[]): Promise<readonly CampaignNeeds[]> {
    const { dialect } = this
    const { campaigns } = this.tables
    const columns = campaigns.pick('id', 'name', 'status', 'from', 'templateId', 'segmentId', 'audienceFilter', 'test')
    const sql = `select ${columns.map(({ name }) => `"${name}"`).join(', ')} from "campaigns"
      where "project_id" = ? and not ("status" ${dialect.listed('text')}) order by "id" desc`
    const rows = await this.access.all(sql, [projectId, dialect.list(statuses)])
    return rows.map((row) => campaigns.record(row))
  }

  async insert(campaign: Campaign): Promise<void> {
    await this.access.write((session) => this.tables.campaigns.insert(session, [campaign]))
  }

  async update(campaign: Campaign): Promise<boolean> {
    const columns = this.tables.campaigns.columns.filter(({ property }) => !KEY.has(property))
    const sql = `update "campaigns" set ${columns.map(({ name }) => `"${name}" = ?`).join(', ')}
      where "project_id" = ? and "id" = ?`
    const fields: Readonly<Record<string, unknown>> = { ...campaign }
    const values = columns.map(({ property, encode }) => encode(fields[property]))
    const params = [...values, campaign.projectId, campaign.id]
    return (await this.access.run(sql, params)) > 0
  }

  async advance(projectId: ProjectId, id: string, from: FanOut, to: FanOut, now: Date): Promise<boolean> {
    const { encode } = this.dialect
    const sql = `update "campaigns" set "fan_out" = ?, "updated_at" = ?
      where "project_id" = ? and "id" = ? and "status" = 'SENDING'
      and "fan_out" ->> 'frozenAt' = ? and "fan_out" ->> 'cursor' = ? and coalesce("fan_out" ->> 'phase', '') = ?`
    const { frozenAt, cursor, phase = '' } = from
    const params = [encode('json')(to), encode('date')(now), projectId, id, frozenAt, cursor, phase]
    return (await this.access.run(sql, params)) > 0
  }

  async remove(projectId: ProjectId, id: string): Promise<boolean> {
    const sql = 'delete from "campaigns" where "project_id" = ? and "id" = ?'
    return (await this.access.run(sql, [projectId, id])) > 0
  }

  dueToStart(now: Date, limit: number): Promise<readonly Campaign[]> {
    const where = `${OPEN} and "status" = 'SCHEDULED' and "scheduled_at" <= ? order by "scheduled_at", "id" limit ?`
    return this.#where(where, [this.dialect.encode('date')(now), limit])
  }

  sending(): Promise<readonly Campaign[]> {
    return this.#where(`${OPEN} and "status" = 'SENDING' order by "id"`, [])
  }

  held(): Promise<readonly Campaign[]> {
    return this.#where(`hold is not null and "hold" <> 'braked' order by "id"`, [])
  }

  holding(ids: readonly string[]): Promise<ReadonlySet<string>> {
    return this.access.write((session) => holdingCampaigns(this.dialect, session, ids))
  }

  async #where(where: string, params: Params): Promise<readonly Campaign[]> {
    const { campaigns } = this.tables
    const sql = `select ${campaigns.list} from "campaigns" where ${where}`
    const rows = await this.access.all(sql, params)
    return rows.map((row) => campaigns.record(row))
  }
}

const KEY: ReadonlySet<string> = new Set(['id', 'projectId'])

/** The open campaigns. It must repeat the condition of their index word for word, or SQLite does not use it. */
const OPEN = `"status" in ('SCHEDULED', 'SENDING')`

/** Not put away, or under way nevertheless. */
const LISTED = `("shelved_at" is null or "status" in ('SCHEDULED', 'SENDING', 'PAUSED'))`

function chosen(dialect: Dialect, projectId: ProjectId, filter: CampaignFilter): Conditions {
  const { status, search, folder, originId, seriesId, shelved } = filter
  const where = new Conditions().and('"project_id" = ?', projectId).equal('"status"', status)
  where.equal('"origin_id"', originId).equal('"series_id"', seriesId)
  if (folder === '') where.and('"folder" is null')
  else if (folder !== undefined) where.and('folder is not null and "folder" = ?', folder)
  if (shelved !== undefined) where.and(shelved ? '"shelved_at" is not null' : LISTED)
  if (search === undefined) return where
  const text = search.toLowerCase()
  return where.and(`(${dialect.contains('"name"')} or ${dialect.contains('"subject"')})`, text, text)
}
