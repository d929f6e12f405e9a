import type {
  Contact,
  ContactFields,
  ContactFilter,
  ContactOrder,
  ContactRepository,
} from '../../../core/contacts/contact.ts'
import type { ProjectId } from '../../../core/projects/project.ts'
import type { PageRequest } from '../../../core/values/page.ts'
import { Conditions } from './conditions.ts'
import type { Access } from './session.ts'
import type { Tables } from './tables.ts'

/** The contacts, in statements of their own: `data` never passes the ORM, which has its own mind about odd keys. */
export class SqlContacts implements ContactRepository {
  readonly #access: Access
  readonly #tables: Tables

  constructor(access: Access, tables: Tables) {
    this.#access = access
    this.#tables = tables
  }

  find(projectId: ProjectId, id: string): Promise<Contact | undefined> {
    return this.#one(projectId, id, '')
  }

  lock(projectId: ProjectId, id: string): Promise<Contact | undefined> {
    return this.#one(projectId, id, this.#access.dialect.lockRows('"contacts"'))
  }

  async page(
    projectId: ProjectId,
    filter: ContactFilter,
    order: ContactOrder,
    page: PageRequest,
  ): Promise<readonly Contact[]> {
    const { contacts } = this.#tables
    const where = this.#where(projectId, filter)
    const dir = order.dir === 'asc' ? 'asc' : 'desc'
    const beyond = dir === 'asc' ? '>' : '<'
    if (page.after && order.sort === 'email')
      where.and(`("email", "id") ${beyond} (?, ?)`, page.after.value, page.after.id)
    else if (page.after) where.and(`"id" ${beyond} ?`, page.after.id)
    const by = order.sort === 'email' ? `"email" ${dir}, "id" ${dir}` : `"id" ${dir}`
    const sql = `select ${contacts.list} from "contacts" where ${where.text} order by ${by} limit ?`
    const rows = await this.#access.read((session) => session.all(sql, [...where.params, page.limit + 1]))
    return rows.map((row) => contacts.record(row))
  }

  async count(projectId: ProjectId, filter: ContactFilter): Promise<number> {
    const where = this.#where(projectId, filter)
    const sql = `select count(*) as "count" from "contacts" where ${where.text}`
    const [row] = await this.#access.read((session) => session.all(sql, where.params))
    return Number(row?.count)
  }

  async update(contact: Contact): Promise<'updated' | 'email-taken' | 'missing'> {
    const { contacts } = this.#tables
    const columns = contacts.columns.filter(({ property }) => property !== 'id' && property !== 'projectId')
    const set = columns.map(({ name }) => `"${name}" = ?`).join(', ')
    const sql = `update "contacts" set ${set} where "project_id" = ? and "id" = ?`
    const fields: Readonly<Record<string, unknown>> = { ...contact }
    const values = columns.map(({ property, encode }) => encode(fields[property]))
    try {
      const written = await this.#access.attempt((session) =>
        session.run(sql, [...values, contact.projectId, contact.id]),
      )
      return written > 0 ? 'updated' : 'missing'
    } catch (error) {
      if (this.#access.dialect.isTaken(error)) return 'email-taken'
      throw error
    }
  }

  remove(projectId: ProjectId, id: string): Promise<boolean> {
    const sql = {
      contact: 'delete from "contacts" where "project_id" = ? and "id" = ?',
      events: 'delete from "events" where "project_id" = ? and "contact_id" = ?',
      emails: 'update "emails" set "contact_id" = null where "project_id" = ? and "contact_id" = ?',
    }
    return this.#access.write(async (session) => {
      if ((await session.run(sql.contact, [projectId, id])) === 0) return false
      await session.run(sql.events, [projectId, id])
      await session.run(sql.emails, [projectId, id])
      return true
    })
  }

  addressesAmong(): Promise<ReadonlySet<string>> {
    throw new Error('not written yet')
  }
  lockByAddress(): Promise<readonly Contact[]> {
    throw new Error('not written yet')
  }
  lockById(): Promise<readonly Contact[]> {
    throw new Error('not written yet')
  }
  save(): Promise<'saved' | 'met-another'> {
    throw new Error('not written yet')
  }
  removeAll(): Promise<readonly string[]> {
    throw new Error('not written yet')
  }
  ids(): Promise<readonly string[]> {
    throw new Error('not written yet')
  }
  fields(): Promise<ContactFields> {
    throw new Error('not written yet')
  }
  values(): Promise<readonly (string | number | boolean)[]> {
    throw new Error('not written yet')
  }
  removeField(): Promise<number> {
    throw new Error('not written yet')
  }

  async #one(projectId: ProjectId, id: string, hold: string): Promise<Contact | undefined> {
    const { contacts } = this.#tables
    const sql = `select ${contacts.list} from "contacts" where "project_id" = ? and "id" = ?${hold}`
    const [row] = await this.#access.read((session) => session.all(sql, [projectId, id]))
    return row && contacts.record(row)
  }

  #where(projectId: ProjectId, filter: ContactFilter): Conditions {
    const { dialect } = this.#access
    const where = new Conditions().and('"project_id" = ?', projectId)
    if (filter.subscribed !== undefined) where.equal('"subscribed"', dialect.encode('boolean')(filter.subscribed))
    if (filter.search !== undefined) where.and(dialect.contains('"email"'), filter.search.toLowerCase())
    return where
  }
}
