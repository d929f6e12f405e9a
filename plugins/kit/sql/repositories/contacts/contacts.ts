/* SQL by hand: hot path, and MikroORM treats some odd keys in `data` specially. */
import type { Audience } from '../../../../../core/ports/store/audiences.ts'
import type {
  Contact,
  ContactFilter,
  ContactOrder,
  ContactPageRequest,
  ContactRepository,
} from '../../../../../core/ports/store/contacts.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { Repository } from '../../engine/repository.ts'
import { ContactList } from './contact-list.ts'
import { findByAddress, heldByAddress, heldById, removeContacts, saveContacts } from './save-contacts.ts'

/** The contacts, without the ORM, since it treats some odd keys in `data` specially. */
export class SqlContacts extends Repository implements ContactRepository {
  readonly #list = new ContactList(this.access, this.tables)

  find(projectId: ProjectId, id: string): Promise<Contact | undefined> {
    return this.#one(projectId, id, '')
  }

  async findAll(projectId: ProjectId, ids: readonly string[]): Promise<readonly Contact[]> {
    const { contacts } = this.tables
    const { dialect } = this
    const sql = `select ${contacts.list} from "contacts" where ${dialect.unindexed('"project_id"')} and "id" ${dialect.listed('uuid')}`
    const rows = await this.access.all(sql, [projectId, dialect.list(ids)])
    return rows.map((row) => contacts.record(row))
  }

  lock(projectId: ProjectId, id: string): Promise<Contact | undefined> {
    return this.#one(projectId, id, this.dialect.lockRows('"contacts"'))
  }

  page(
    projectId: ProjectId,
    filter: ContactFilter,
    order: ContactOrder,
    page: ContactPageRequest,
  ): Promise<readonly Contact[]> {
    return this.#list.page(projectId, filter, order, page)
  }

  pageAndCount(
    projectId: ProjectId,
    filter: ContactFilter,
    order: ContactOrder,
    page: ContactPageRequest,
  ): Promise<{ readonly contacts: readonly Contact[]; readonly total: number }> {
    return this.#list.pageAndCount(projectId, filter, order, page)
  }

  count(projectId: ProjectId, filter: ContactFilter): Promise<number> {
    return this.#list.count(projectId, filter)
  }

  ids(projectId: ProjectId, filter: ContactFilter, limit: number, after?: string): Promise<readonly string[]> {
    return this.#list.ids(projectId, filter, limit, after)
  }

  among(projectId: ProjectId, ids: readonly string[], audience: Audience): Promise<ReadonlySet<string>> {
    return this.#list.among(projectId, ids, audience)
  }

  async update(contact: Contact): Promise<'updated' | 'email-taken' | 'missing'> {
    const { contacts } = this.tables
    const columns = contacts.columns.filter(({ property }) => property !== 'id' && property !== 'projectId')
    const set = columns.map(({ name }) => `"${name}" = ?`).join(', ')
    const sql = `update "contacts" set ${set} where "project_id" = ? and "id" = ?`
    const fields: Readonly<Record<string, unknown>> = { ...contact }
    const values = columns.map(({ property, encode }) => encode(fields[property]))
    try {
      const written = await this.access.attempt((session) =>
        session.run(sql, [...values, contact.projectId, contact.id]),
      )
      return written > 0 ? 'updated' : 'missing'
    } catch (error) {
      if (this.dialect.isTaken(error)) return 'email-taken'
      throw error
    }
  }

  async remove(projectId: ProjectId, id: string, at: Date): Promise<boolean> {
    return (await this.removeAll(projectId, [id], at)).length > 0
  }

  removeAll(projectId: ProjectId, ids: readonly string[], at: Date): Promise<readonly string[]> {
    const { dialect } = this
    return this.access.write((session) => removeContacts(dialect, this.tables, session, projectId, ids, at))
  }

  findByAddress(projectId: ProjectId, emails: readonly string[]): Promise<ReadonlyMap<string, Omit<Contact, 'data'>>> {
    return findByAddress(this.access, this.tables, projectId, emails)
  }

  lockByAddress(projectId: ProjectId, emails: readonly string[]): Promise<ReadonlyMap<string, Contact>> {
    return heldByAddress(this.access, this.tables, projectId, emails)
  }

  lockById(projectId: ProjectId, ids: readonly string[]): Promise<readonly Contact[]> {
    return heldById(this.access, this.tables, projectId, ids)
  }

  save(contacts: readonly Contact[]): Promise<'saved' | 'met-another'> {
    return saveContacts(this.access, this.tables, contacts)
  }

  async #one(projectId: ProjectId, id: string, hold: string): Promise<Contact | undefined> {
    const { contacts } = this.tables
    const sql = `select ${contacts.list} from "contacts" where "project_id" = ? and "id" = ?${hold}`
    const [row] = await this.access.all(sql, [projectId, id])
    return row && contacts.record(row)
  }
}
