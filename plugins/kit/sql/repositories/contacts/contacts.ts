/* SQL by hand: the order in which an index is used. */
import type { Audience } from '../../../../../core/ports/store/audiences.ts'
import type {
  Contact,
  ContactFilter,
  ContactOrder,
  ContactPageRequest,
  ContactRepository,
} from '../../../../../core/ports/store/contacts.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { BY_ID } from '../../engine/project-noun.ts'
import { Repository } from '../../engine/repository.ts'
import { Rows } from '../../engine/rows.ts'
import { eraseFromDrafts } from '../inboxes/erase-drafts.ts'
import { ContactList } from './contact-list.ts'
import { findByAddress, heldByAddress, heldById, removeContacts, saveContacts } from './save-contacts.ts'

/** The contacts. What is asked of many of them at once is in contact-list.ts and save-contacts.ts. */
export class SqlContacts extends Repository implements ContactRepository {
  readonly #list = new ContactList(this.access, this.tables)
  readonly #rows = new Rows(this.access, this.tables.contacts)

  find(projectId: ProjectId, id: string): Promise<Contact | undefined> {
    return this.#rows.one({ projectId, id })
  }

  async findAll(projectId: ProjectId, ids: readonly string[]): Promise<readonly Contact[]> {
    const { contacts } = this.tables
    const { dialect } = this
    const sql = `select ${contacts.list} from "contacts" where ${dialect.unindexed('"project_id"')} and "id" ${dialect.listed('uuid')}`
    const rows = await this.access.all(sql, [projectId, dialect.list(ids)])
    return rows.map((row) => contacts.record(row))
  }

  lock(projectId: ProjectId, id: string): Promise<Contact | undefined> {
    return this.#rows.lock({ projectId, id })
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
    try {
      const isWritten = await this.access.attempt((session) => this.#rows.in(session).update(contact, BY_ID))
      return isWritten ? 'updated' : 'missing'
    } catch (error) {
      if (this.dialect.isTaken(error)) return 'email-taken'
      throw error
    }
  }

  async remove(projectId: ProjectId, id: string, at: Date): Promise<boolean> {
    return (await this.removeAll(projectId, [id], at)).length > 0
  }

  removeAll(projectId: ProjectId, ids: readonly string[], at: Date): Promise<readonly string[]> {
    const { dialect, tables } = this
    return this.access.write(async (session) => {
      // before the contacts, in the order of drafts that are sent; a merge leaves drafts as they were written
      await eraseFromDrafts(dialect, tables, session, projectId, ids, at)
      return removeContacts(dialect, tables, session, projectId, ids, at)
    })
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
}
