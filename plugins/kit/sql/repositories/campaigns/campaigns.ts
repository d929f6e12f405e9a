/* SQL by hand: conditions within JSON, and sums by folder. */
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
import { definedOnly } from '../../../../../core/values/defined-only.ts'
import type { NumberedRequest } from '../../../../../core/values/page.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { PlainNoun } from '../../engine/project-noun.ts'
import { Rows, type Where } from '../../engine/rows.ts'
import { holdingCampaigns } from './holding-campaigns.ts'

/** The campaigns themselves. Their mails are in campaign-mails.ts. */
export class SqlCampaigns extends PlainNoun<Campaign> implements CampaignRepository {
  protected readonly rows = new Rows(this.access, this.tables.campaigns)

  page(projectId: ProjectId, filter: CampaignFilter, page: NumberedRequest): Promise<readonly Campaign[]> {
    return this.rows.page(this.#chosen(projectId, filter), page)
  }

  count(projectId: ProjectId, filter: CampaignFilter): Promise<number> {
    return this.rows.count(this.#chosen(projectId, filter))
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
    const columns = campaigns.pick('id', 'subject', 'preheader', 'sentAt', 'contentId').map(({ name }) => `"${name}"`)
    const winner = `"fan_out" -> 'test' ->> 'winner' as "winner"`
    const sent = { projectId, status: 'SENT', ...definedOnly({ topicId }) }
    const where = { $and: [this.rows.literally('published_at is not null'), sent] } as Where<Campaign>
    const newest = { orderBy: { sentAt: 'desc', id: 'desc' }, limit: limit + 1, offset } as const
    const rows = await this.rows.read([...columns, winner].join(', '), where, newest)
    return rows.map((row) => ({ ...campaigns.record(row), winner: VARIANTS.find((name) => name === row.winner) }))
  }

  except(projectId: ProjectId, statuses: readonly CampaignStatus[]): Promise<readonly CampaignNeeds[]> {
    const others = { projectId, $not: this.rows.among('status', statuses) } as Where<Campaign>
    return this.rows.some(
      ['id', 'name', 'status', 'from', 'templateId', 'segmentId', 'audienceFilter', 'test'],
      others,
      { orderBy: { id: 'desc' } },
    )
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

  dueToStart(now: Date, limit: number): Promise<readonly Campaign[]> {
    return this.#open({ status: 'SCHEDULED', scheduledAt: { $lte: now } }, { scheduledAt: 'asc', id: 'asc' }, limit)
  }

  sending(): Promise<readonly Campaign[]> {
    return this.#open({ status: 'SENDING' }, { id: 'asc' })
  }

  held(): Promise<readonly Campaign[]> {
    const where = { $and: [this.rows.literally('hold is not null'), { hold: { $ne: 'braked' } }] } as Where<Campaign>
    return this.rows.list(where, { orderBy: { id: 'asc' } })
  }

  holding(ids: readonly string[]): Promise<ReadonlySet<string>> {
    return this.access.write((session) => holdingCampaigns(this.dialect, session, ids))
  }

  #open(where: Where<Campaign>, orderBy: Order, limit?: number): Promise<readonly Campaign[]> {
    const open = { $and: [this.rows.literally(OPEN), where] } as Where<Campaign>
    return this.rows.list(open, { orderBy, ...definedOnly({ limit }) })
  }

  #chosen(projectId: ProjectId, filter: CampaignFilter): Where<Campaign> {
    const { status, search, folder, originId, seriesId, shelved } = filter
    const { rows } = this
    const conditions = [
      { projectId, ...definedOnly({ status, originId, seriesId }) },
      ...(folder === undefined
        ? []
        : folder === ''
          ? [{ folder: null }]
          : [rows.literally('folder is not null'), { folder }]),
      ...(shelved === undefined ? [] : [shelved ? { shelvedAt: { $ne: null } } : rows.literally(LISTED)]),
      ...(search === undefined ? [] : [rows.contains(search, 'name', 'subject')]),
    ]
    return { $and: conditions } as Where<Campaign>
  }
}

type Order = { readonly [Property in 'scheduledAt' | 'id']?: 'asc' }

/** The open campaigns. It must repeat the condition of their index word for word, or SQLite does not use it. */
const OPEN = `"status" in ('SCHEDULED', 'SENDING')`

/** Not put away, or under way nevertheless. */
const LISTED = `("shelved_at" is null or "status" in ('SCHEDULED', 'SENDING', 'PAUSED'))`
