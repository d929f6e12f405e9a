/* SQL by hand: what is kept of a list is counted in it. */
import type { SeenItem, Series, SeriesRepository } from '../../../../../core/ports/store/series.ts'
import type { NumberedRequest } from '../../../../../core/values/page.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { PlainNoun } from '../../engine/project-noun.ts'
import { Rows, type Where } from '../../engine/rows.ts'

/** The series, and what they have seen of their feeds. */
export class SqlSeries extends PlainNoun<Series> implements SeriesRepository {
  protected readonly rows = new Rows(this.access, this.tables.campaignSeries)
  readonly #items = new Rows(this.access, this.tables.seenItems)

  page(projectId: ProjectId, page: NumberedRequest): Promise<readonly Series[]> {
    return this.rows.page({ projectId }, page)
  }

  count(projectId: ProjectId): Promise<number> {
    return this.rows.count({ projectId })
  }

  override async remove(projectId: ProjectId, id: string): Promise<boolean> {
    const removed = await super.remove(projectId, id)
    if (removed) await this.#items.remove({ projectId, seriesId: id })
    return removed
  }

  due(now: Date, limit: number): Promise<readonly Series[]> {
    return this.rows.list({ nextAt: { $lte: now } } as Where<Series>, { orderBy: { nextAt: 'asc' }, limit })
  }

  async seen(seriesId: string, keys: readonly string[]): Promise<ReadonlySet<string>> {
    if (keys.length === 0) return new Set()
    const among = { $and: [{ seriesId }, this.#items.among('key', keys)] } as Where<SeenItem>
    return new Set((await this.#items.some(['key'], among)).map(({ key }) => key))
  }

  async remember(items: readonly SeenItem[]): Promise<void> {
    if (items.length === 0) return
    await this.access.write((session) => this.tables.seenItems.insert(session, items, 'on conflict do nothing'))
  }

  async forget(seriesId: string, current: readonly string[], most: number): Promise<void> {
    const { dialect } = this
    const sql = `delete from "campaign_series_items" where "series_id" = ? and not ("key" ${dialect.listed('text')})
      and "seen_at" < (select "seen_at" from "campaign_series_items" where "series_id" = ? order by "seen_at" desc limit 1 offset ?)`
    await this.access.run(sql, [seriesId, dialect.list(current), seriesId, most])
  }
}
