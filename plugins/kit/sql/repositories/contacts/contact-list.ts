/* SQL by hand: filters of contacts are SQL that is made for each. */
import type { Audience } from '../../../../../core/ports/store/audiences.ts'
import type {
  Contact,
  ContactFilter,
  ContactOrder,
  ContactPageRequest,
} from '../../../../../core/ports/store/contacts.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { Conditions } from '../../engine/conditions.ts'
import { Repository } from '../../engine/repository.ts'
import type { Params, Session } from '../../engine/session.ts'
import { audienceSql } from '../../filters/audience-sql.ts'
import { contactCounters, hasMostContacts } from '../counters.ts'

/** A project's contacts as lists: in pages, as ids, and their number. */
export class ContactList extends Repository {
  page(
    projectId: ProjectId,
    filter: ContactFilter,
    order: ContactOrder,
    page: ContactPageRequest,
  ): Promise<readonly Contact[]> {
    if (isIndexed(filter, order)) {
      return this.access.read((session) => this.#walk(session, projectId, filter, order, page))
    }
    return this.access.scan(projectId, async (session) => {
      // a page after a cursor needs no count, so walking is as good as searching all
      const few = filter.audience && !filter.search ? undefined : await this.#findFew(session, projectId, filter, false)
      return this.#walk(session, projectId, few ? among(filter, few) : filter, order, page)
    })
  }

  pageAndCount(
    projectId: ProjectId,
    filter: ContactFilter,
    order: ContactOrder,
    page: ContactPageRequest,
  ): Promise<{ readonly contacts: readonly Contact[]; readonly total: number }> {
    const answer = async (session: Session, narrowed: Narrowed) => {
      const contacts = await this.#walk(session, projectId, narrowed, order, page)
      return { contacts, total: await this.#count(session, projectId, narrowed) }
    }
    if (isIndexed(filter, order)) return this.access.read((session) => answer(session, filter))
    return this.access.scan(projectId, async (session) => {
      const whole = await this.#isWhole(session, projectId, filter)
      const few = await this.#findFew(session, projectId, filter, whole)
      return answer(session, few ? among(filter, few) : { ...filter, whole })
    })
  }

  count(projectId: ProjectId, filter: ContactFilter): Promise<number> {
    if (isCounted(filter)) return this.access.read((session) => this.#count(session, projectId, filter))
    return this.access.scan(projectId, async (session) => {
      const whole = await this.#isWhole(session, projectId, filter)
      return this.#count(session, projectId, { ...filter, whole })
    })
  }

  async ids(projectId: ProjectId, filter: ContactFilter, limit: number, after?: string): Promise<readonly string[]> {
    const where = this.#where(projectId, filter)
    if (after !== undefined) where.and('c."id" > ?', after)
    const sql = `select c."id" from "contacts" as c where ${where.text} order by c."id" limit ?`
    const rows = await this.access.scan(projectId, (session) => session.all(sql, [...where.params, limit]))
    return rows.map((row) => String(row.id))
  }

  async among(projectId: ProjectId, ids: readonly string[], audience: Audience): Promise<ReadonlySet<string>> {
    const { dialect } = this
    const where = this.#where(projectId, { audience }, true).and(`c."id" ${dialect.listed('uuid')}`, dialect.list(ids))
    const sql = `select c."id" from "contacts" as c where ${where.text}`
    const rows = await this.access.all(sql, where.params)
    return new Set(rows.map((row) => String(row.id)))
  }

  /** Reads in the list's order until the page is full. */
  async #walk(
    session: Session,
    projectId: ProjectId,
    filter: Narrowed,
    order: ContactOrder,
    page: ContactPageRequest,
  ): Promise<readonly Contact[]> {
    const { contacts } = this.tables
    const where = this.#where(projectId, filter)
    const dir = order.dir === 'asc' ? 'asc' : 'desc'
    const beyond = dir === 'asc' ? '>' : '<'
    if (page.after && order.sort === 'email')
      where.and(`(c."email", c."id") ${beyond} (?, ?)`, page.after.value, page.after.id)
    else if (page.after) where.and(`c."id" ${beyond} ?`, page.after.id)
    const by = order.sort === 'email' ? `c."email" ${dir}, c."id" ${dir}` : `c."id" ${dir}`
    const { first, from, given } = this.#from(projectId, filter)
    const sql = `${first} select ${contacts.listOf('c')} from ${from} as c where ${where.text} order by ${by} limit ? offset ?`
    const rows = await session.all(sql, [...given, ...where.params, page.limit + 1, page.offset ?? 0])
    return rows.map((row) => contacts.record(row))
  }

  async #count(session: Session, projectId: ProjectId, filter: Narrowed): Promise<number> {
    if (isCounted(filter)) {
      const { all, subscribed } = await contactCounters(session, projectId)
      if (filter.subscribed === undefined) return all
      return filter.subscribed ? subscribed : all - subscribed
    }
    const where = this.#where(projectId, filter, filter.whole)
    const { first, from, given } = this.#from(projectId, filter)
    const sql = `${first} select count(*) as "count" from ${from} as c where ${where.text}`
    const [row] = await session.all(sql, [...given, ...where.params])
    return Number(row?.count)
  }

  /**
   * All that match, if they are few: found once, they are cheap to sort and count, while a walk in the list's order
   * would look at every contact before its page is full. A search for addresses uses only their index.
   */
  async #findFew(
    session: Session,
    projectId: ProjectId,
    filter: ContactFilter,
    whole: boolean,
  ): Promise<Few | undefined> {
    const { search } = filter
    const name = search === undefined ? 'id' : 'email'
    const where = this.#where(projectId, search === undefined ? filter : { search }, whole)
    const sql = `select c."${name}" from "contacts" as c where ${where.text} limit ?`
    const rows = await session.all(sql, [...where.params, MAX_FEW + 1])
    return rows.length > MAX_FEW ? undefined : { name, values: rows.map((row) => String(row[name])) }
  }

  /** The few are selected first, since SQLite would go through all contacts to get the list's order. */
  #from(
    projectId: ProjectId,
    { few }: Narrowed,
  ): { readonly first: string; readonly from: string; readonly given: Params } {
    if (few === undefined) return { first: '', from: '"contacts"', given: [] }
    const { dialect } = this
    const rows =
      few.name === 'id'
        ? `select * from "contacts" where ${dialect.unindexed('"project_id"')} and "id" ${dialect.listed('uuid')}`
        : `select * from ${dialect.eachOf('"contacts"')} as f`
    const given = [projectId, dialect.list(few.values)]
    return { first: `with "few" as materialized (${rows})`, from: '"few"', given }
  }

  /** Whether it is cheaper to look at every row of the table. */
  async #isWhole(session: Session, projectId: ProjectId, filter: ContactFilter): Promise<boolean> {
    const { search, subscribed, audience } = filter
    if (search !== undefined || subscribed === false || audience === undefined || !needsEachRow(audience)) return false
    return hasMostContacts(session, projectId)
  }

  #where(projectId: ProjectId, { search, subscribed, audience }: ContactFilter, whole = false): Conditions {
    const { dialect } = this
    const project = 'c."project_id"'
    const where = new Conditions().and(whole ? dialect.unindexed(project) : `${project} = ?`, projectId)
    // written out, so that the index of the unsubscribed is used
    if (subscribed !== undefined) where.and(subscribed ? 'c."subscribed"' : 'not c."subscribed"')
    if (search !== undefined) where.and(dialect.includes('c."email"'), search.toLowerCase())
    if (audience !== undefined) {
      const { text, params } = audienceSql(dialect, audience, 'c')
      where.and(text, ...params)
    }
    return where
  }
}

/** Contacts by their ids or addresses. */
interface Few {
  readonly name: 'id' | 'email'
  readonly values: readonly string[]
}

/** A filter, with the only contacts it can match, or whether it is checked on every row of the table. */
interface Narrowed extends ContactFilter {
  readonly few?: Few
  readonly whole?: boolean
}

/** The most matching contacts that are collected and sorted. For more, the page is found by walking. */
const MAX_FEW = 2000

/**
 * The conditions left to check of the contacts that were found: ids match the whole filter, addresses only the search.
 */
function among({ subscribed, audience }: ContactFilter, few: Few): Narrowed {
  if (few.name === 'id') return { few }
  return { few, ...(subscribed === undefined ? {} : { subscribed }), ...(audience === undefined ? {} : { audience }) }
}

/** Conditions that no index answers. */
const FOUND_IN_ROW: ReadonlySet<Audience['kind']> = new Set(['data', 'flag', 'choice', 'number'])

/** Whether only the contact's own row tells if it matches, and no index or other table does. */
function needsEachRow(audience: Audience): boolean {
  if (audience.kind === 'all' || audience.kind === 'any') return audience.of.every(needsEachRow)
  if (audience.kind === 'not') return needsEachRow(audience.of)
  return FOUND_IN_ROW.has(audience.kind)
}

/** Whether the counters know how many match. */
function isCounted({ few, search, audience }: Narrowed): boolean {
  return few === undefined && search === undefined && audience === undefined
}

/** Whether an index has the contacts in this order. The unsubscribed are indexed by id. */
function isIndexed(filter: ContactFilter, order: ContactOrder): boolean {
  return isCounted(filter) && (filter.subscribed !== false || order.sort === 'createdAt')
}
