import type { Contact, ContactFilter, ContactOrder } from '../../../core/contacts/contact.ts'
import type { ProjectId } from '../../../core/projects/project.ts'
import type { PageRequest } from '../../../core/values/page.ts'
import { Conditions } from './conditions.ts'
import type { Access } from './session.ts'
import type { Tables } from './tables.ts'

/** A project's contacts as lists: in pages, as ids, and how many there are. */
export class ContactList {
  readonly #access: Access
  readonly #tables: Tables

  constructor(access: Access, tables: Tables) {
    this.#access = access
    this.#tables = tables
  }

  async page(
    projectId: ProjectId,
    filter: ContactFilter,
    order: ContactOrder,
    page: PageRequest & { readonly offset?: number },
  ): Promise<readonly Contact[]> {
    const { contacts } = this.#tables
    const where = this.#where(projectId, filter)
    const dir = order.dir === 'asc' ? 'asc' : 'desc'
    const beyond = dir === 'asc' ? '>' : '<'
    if (page.after && order.sort === 'email')
      where.and(`(c."email", c."id") ${beyond} (?, ?)`, page.after.value, page.after.id)
    else if (page.after) where.and(`c."id" ${beyond} ?`, page.after.id)
    const by = order.sort === 'email' ? `c."email" ${dir}, c."id" ${dir}` : `c."id" ${dir}`
    const sql = `select ${contacts.listOf('c')} from "contacts" as c where ${where.text} order by ${by} limit ? offset ?`
    const params = [...where.params, page.limit + 1, page.offset ?? 0]
    const rows = await this.#access.scan((session) => session.all(sql, params))
    return rows.map((row) => contacts.record(row))
  }

  async count(projectId: ProjectId, filter: ContactFilter): Promise<number> {
    const where = this.#where(projectId, filter)
    const sql = `select count(*) as "count" from "contacts" as c where ${where.text}`
    const [row] = await this.#access.scan((session) => session.all(sql, where.params))
    return Number(row?.count)
  }

  async ids(projectId: ProjectId, filter: ContactFilter, limit: number, after?: string): Promise<readonly string[]> {
    const where = this.#where(projectId, filter)
    if (after !== undefined) where.and('c."id" > ?', after)
    const sql = `select c."id" from "contacts" as c where ${where.text} order by c."id" limit ?`
    const rows = await this.#access.scan((session) => session.all(sql, [...where.params, limit]))
    return rows.map((row) => String(row.id))
  }

  #where(projectId: ProjectId, filter: ContactFilter): Conditions {
    const { dialect } = this.#access
    const where = new Conditions().and('c."project_id" = ?', projectId)
    if (filter.subscribed !== undefined) where.equal('c."subscribed"', dialect.encode('boolean')(filter.subscribed))
    if (filter.search !== undefined) where.and(dialect.contains('c."email"'), filter.search.toLowerCase())
    return where
  }
}
