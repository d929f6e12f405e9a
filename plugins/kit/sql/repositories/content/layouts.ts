import type { Campaign } from '../../../../../core/ports/store/campaigns.ts'
import type { Layout, LayoutFilter, LayoutRepository, LayoutUsers } from '../../../../../core/ports/store/layouts.ts'
import type { NumberedRequest } from '../../../../../core/values/page.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { PlainNoun } from '../../engine/project-noun.ts'
import { Rows, type Where } from '../../engine/rows.ts'

const NEWEST = { orderBy: { id: 'desc' } } as const

/** The layouts. */
export class SqlLayouts extends PlainNoun<Layout> implements LayoutRepository {
  protected readonly rows = new Rows(this.access, this.tables.layouts)

  async hold(projectId: ProjectId, id: string): Promise<boolean> {
    return (await this.rows.read('"id"', { projectId, id }, { lock: 'keep' })).length > 0
  }

  page(projectId: ProjectId, filter: LayoutFilter, page: NumberedRequest): Promise<readonly Layout[]> {
    return this.rows.page(this.#where(projectId, filter), page)
  }

  count(projectId: ProjectId, filter: LayoutFilter): Promise<number> {
    return this.rows.count(this.#where(projectId, filter))
  }

  async users(projectId: ProjectId, layoutId: string): Promise<LayoutUsers> {
    const templates = new Rows(this.access, this.tables.templates)
    const campaigns = new Rows(this.access, this.tables.campaigns)
    const going = { projectId, status: { $nin: ['CANCELLED', 'FAILED'] } } as const
    const having: Where<Campaign> = { $and: [going, { $or: [{ layoutId }, campaigns.mentions(layoutId, 'variants')] }] }
    return {
      templates: await templates.some(['id', 'name'], { projectId, layoutId }, NEWEST),
      campaigns: await campaigns.some(['id', 'name', 'status'], having, NEWEST),
    }
  }

  #where(projectId: ProjectId, { search }: LayoutFilter): Where<Layout> {
    return search === undefined
      ? { projectId }
      : { $and: [{ projectId }, this.rows.contains(search, 'name', 'description')] }
  }
}
