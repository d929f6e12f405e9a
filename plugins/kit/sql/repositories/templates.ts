import type { InferEntity } from '@mikro-orm/core'
import { type FilterQuery, raw } from '@mikro-orm/sql'
import type { Template, TemplateFilter, TemplateRepository } from '../../../../core/ports/store/templates.ts'
import type { NumberedRequest } from '../../../../core/values/page.ts'
import type { ProjectId } from '../../../../core/values/project-id.ts'
import type { Access } from '../engine/access.ts'
import type { Tables } from '../engine/tables.ts'
import { EmailRow } from '../entities/emails.ts'
import { TemplateRow } from '../entities/templates.ts'

/** The templates, through the ORM. */
export class SqlTemplates implements TemplateRepository {
  readonly #access: Access
  readonly #tables: Tables

  constructor(access: Access, tables: Tables) {
    this.#access = access
    this.#tables = tables
  }

  find(projectId: ProjectId, id: string): Promise<Template | undefined> {
    return this.#access.orm(async (em) => {
      const found = await em.findOne(TemplateRow, { projectId, id })
      return found ? this.#tables.templates.plain(found) : undefined
    })
  }

  async named(projectId: ProjectId, slug: string): Promise<Template | undefined> {
    const sql = `select ${this.#tables.templates.list} from "templates" where "project_id" = ? and "slug" = ?`
    const [row] = await this.#access.all(sql, [projectId, slug])
    return row && this.#tables.templates.record(row)
  }

  async takenSlugs(projectId: ProjectId, slugs: readonly string[]): Promise<ReadonlySet<string>> {
    const { dialect } = this.#access
    const sql = `select "slug" from "templates" where "project_id" = ? and "slug" ${dialect.listed('text')}`
    const rows = await this.#access.all(sql, [projectId, dialect.list(slugs)])
    return new Set(rows.map((row) => String(row.slug)))
  }

  async lock(projectId: ProjectId, id: string): Promise<Template | undefined> {
    const { dialect } = this.#access
    const sql = `select ${this.#tables.templates.list} from "templates"
      where "project_id" = ? and "id" = ?${dialect.lockRows('"templates"')}`
    const [row] = await this.#access.all(sql, [projectId, id])
    return row && this.#tables.templates.record(row)
  }

  page(projectId: ProjectId, filter: TemplateFilter, page: NumberedRequest): Promise<readonly Template[]> {
    const where = this.#where(projectId, filter)
    if (page.after) where.push({ id: { $lt: page.after.id } })
    return this.#access.orm(async (em) => {
      const found = await em.find(
        TemplateRow,
        { $and: where },
        { orderBy: { id: 'desc' }, limit: page.limit + 1, offset: page.offset ?? 0 },
      )
      return found.map((row) => this.#tables.templates.plain(row))
    })
  }

  count(projectId: ProjectId, filter: TemplateFilter): Promise<number> {
    return this.#access.orm((em) => em.count(TemplateRow, { $and: this.#where(projectId, filter) }))
  }

  async insert(template: Template): Promise<'inserted' | 'slug-taken'> {
    const written = await this.#unlessTaken((session) => this.#tables.templates.insert(session, [template]))
    return written === 'slug-taken' ? written : 'inserted'
  }

  async update(template: Template): Promise<'updated' | 'slug-taken' | 'missing'> {
    const columns = this.#tables.templates.without(['id', 'projectId'])
    const set = columns.map(({ name }) => `"${name}" = ?`).join(', ')
    const sql = `update "templates" set ${set} where "project_id" = ? and "id" = ?`
    const fields: Readonly<Record<string, unknown>> = { ...template }
    const values = columns.map(({ property, encode }) => encode(fields[property]))
    const written = await this.#unlessTaken((session) => session.run(sql, [...values, template.projectId, template.id]))
    if (written === 'slug-taken') return written
    return written > 0 ? 'updated' : 'missing'
  }

  async remove(projectId: ProjectId, id: string): Promise<boolean> {
    return (await this.#access.orm((em) => em.nativeDelete(TemplateRow, { projectId, id }))) > 0
  }

  emailsMade(projectId: ProjectId, id: string): Promise<number> {
    return this.#access.orm((em) => em.count(EmailRow, { projectId, templateId: id }))
  }

  async #unlessTaken(write: Parameters<Access['attempt']>[0]): Promise<number | 'slug-taken'> {
    try {
      return Number(await this.#access.attempt(write))
    } catch (error) {
      if (this.#access.dialect.isTaken(error)) return 'slug-taken'
      throw error
    }
  }

  #where(projectId: ProjectId, filter: TemplateFilter): FilterQuery<InferEntity<typeof TemplateRow>>[] {
    const { dialect } = this.#access
    const where: FilterQuery<InferEntity<typeof TemplateRow>>[] = [{ projectId }]
    if (filter.type !== undefined) where.push({ type: filter.type })
    if (filter.search !== undefined) {
      const text = filter.search.toLowerCase()
      const either = `(${dialect.contains('"name"')} or ${dialect.contains('"subject"')})`
      where.push({ [raw(either, [text, text])]: [] })
    }
    return where
  }
}
