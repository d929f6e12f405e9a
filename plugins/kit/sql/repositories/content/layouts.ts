import type { Layout, LayoutFilter, LayoutRepository, LayoutUsers } from '../../../../../core/ports/store/layouts.ts'
import type { NumberedRequest } from '../../../../../core/values/page.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import type { Access } from '../../engine/access.ts'
import type { Params } from '../../engine/session.ts'
import type { Tables } from '../../engine/tables.ts'
import { updateRecord } from '../../engine/update-record.ts'

/** The layouts. */
export class SqlLayouts implements LayoutRepository {
  readonly #access: Access
  readonly #tables: Tables

  constructor(access: Access, tables: Tables) {
    this.#access = access
    this.#tables = tables
  }

  async find(projectId: ProjectId, id: string): Promise<Layout | undefined> {
    return (await this.#where('"project_id" = ? and "id" = ?', [projectId, id]))[0]
  }

  async lock(projectId: ProjectId, id: string): Promise<Layout | undefined> {
    const lock = this.#access.dialect.lockRows('"layouts"')
    return (await this.#where(`"project_id" = ? and "id" = ?${lock}`, [projectId, id]))[0]
  }

  async hold(projectId: ProjectId, id: string): Promise<boolean> {
    const keep = this.#access.dialect.keepRows('"layouts"')
    const sql = `select "id" from "layouts" where "project_id" = ? and "id" = ?${keep}`
    return (await this.#access.all(sql, [projectId, id])).length > 0
  }

  page(projectId: ProjectId, filter: LayoutFilter, page: NumberedRequest): Promise<readonly Layout[]> {
    const { where, params } = this.#filtered(projectId, filter)
    const after = page.after ? [page.after.id] : []
    const end = `${page.after ? ' and "id" < ?' : ''} order by "id" desc limit ? offset ?`
    return this.#where(where + end, [...params, ...after, page.limit + 1, page.offset ?? 0])
  }

  async count(projectId: ProjectId, filter: LayoutFilter): Promise<number> {
    const { where, params } = this.#filtered(projectId, filter)
    const sql = `select count(*) as "count" from "layouts" where ${where}`
    const [row] = await this.#access.all(sql, params)
    return Number(row?.count ?? 0)
  }

  async insert(layout: Layout): Promise<void> {
    await this.#access.write((session) => this.#tables.layouts.insert(session, [layout]))
  }

  update(layout: Layout): Promise<boolean> {
    return this.#access.write((session) => updateRecord(session, this.#tables.layouts, layout))
  }

  remove(projectId: ProjectId, id: string): Promise<boolean> {
    const sql = 'delete from "layouts" where "project_id" = ? and "id" = ?'
    return this.#access.write(async (session) => (await session.run(sql, [projectId, id])) > 0)
  }

  async users(projectId: ProjectId, id: string): Promise<LayoutUsers> {
    const templates = `select "id", "name" from "templates" where "project_id" = ? and "layout_id" = ? order by "id" desc`
    const campaigns = `select "id", "name", "status" from "campaigns" where "project_id" = ? and "layout_id" = ?
      and "status" not in ('CANCELLED', 'FAILED') order by "id" desc`
    const read = (sql: string) => this.#access.all(sql, [projectId, id])
    return {
      templates: (await read(templates)).map((row) => ({ id: String(row.id), name: String(row.name) })),
      campaigns: (await read(campaigns)).map((row) => ({
        id: String(row.id),
        name: String(row.name),
        status: row.status as LayoutUsers['campaigns'][number]['status'],
      })),
    }
  }

  #filtered(projectId: ProjectId, { search }: LayoutFilter) {
    if (search === undefined) return { where: '"project_id" = ?', params: [projectId] }
    const { dialect } = this.#access
    const text = search.toLowerCase()
    const either = `(${dialect.contains('"name"')} or ${dialect.contains('"description"')})`
    return { where: `"project_id" = ? and ${either}`, params: [projectId, text, text] }
  }

  async #where(where: string, params: Params): Promise<readonly Layout[]> {
    const { layouts } = this.#tables
    const sql = `select ${layouts.list} from "layouts" where ${where}`
    const rows = await this.#access.all(sql, params)
    return rows.map((row) => layouts.record(row))
  }
}
