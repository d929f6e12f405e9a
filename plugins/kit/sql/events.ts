import type {
  EventFilter,
  EventRecord,
  EventRepository,
  EventStat,
  EventWithContact,
} from '../../../core/events/event.ts'
import type { ProjectId } from '../../../core/projects/project.ts'
import type { PageRequest } from '../../../core/values/page.ts'
import { Conditions } from './conditions.ts'
import type { Access } from './session.ts'
import type { Tables } from './tables.ts'

/** The events, in statements of their own. */
export class SqlEvents implements EventRepository {
  readonly #access: Access
  readonly #tables: Tables

  constructor(access: Access, tables: Tables) {
    this.#access = access
    this.#tables = tables
  }

  async record(events: readonly EventRecord[]): Promise<void> {
    await this.#access.write((session) => this.#tables.events.insert(session, events))
  }

  async page(projectId: ProjectId, filter: EventFilter, page: PageRequest): Promise<readonly EventWithContact[]> {
    const { events } = this.#tables
    const where = new Conditions()
      .and('e."project_id" = ?', projectId)
      .equal('e."name"', filter.name)
      .equal('e."contact_id"', filter.contactId)
      .equal('e."email_id"', filter.emailId)
    if (page.after) where.and('e."id" < ?', page.after.id)
    const sql = `select ${events.listOf('e')}, c."email" as "contact_email" from "events" as e
      join "contacts" as c on c."id" = e."contact_id" and c."project_id" = e."project_id"
      where ${where.text} order by e."id" desc limit ?`
    const rows = await this.#access.read((session) => session.all(sql, [...where.params, page.limit + 1]))
    return rows.map((row) => {
      const event = events.record(row)
      return { ...event, contact: { id: event.contactId, email: String(row.contact_email) } }
    })
  }

  async stats(
    projectId: ProjectId,
    between: { readonly from?: Date; readonly to?: Date },
  ): Promise<readonly EventStat[]> {
    const { dialect } = this.#access
    const date = dialect.encode('date')
    const where = new Conditions().and('"project_id" = ?', projectId)
    if (between.from) where.and('"created_at" >= ?', date(between.from))
    if (between.to) where.and('"created_at" <= ?', date(between.to))
    const sql = `select "name", count(*) as "count", max("created_at") as "last_at" from "events"
      where ${where.text} group by "name" order by "count" desc, "name" asc`
    const rows = await this.#access.read((session) => session.all(sql, where.params))
    const asDate = dialect.decode('date') as (value: unknown) => Date
    return rows.map((row) => ({ name: String(row.name), count: Number(row.count), lastAt: asDate(row.last_at) }))
  }

  names(): Promise<readonly { readonly name: string; readonly count: number }[]> {
    throw new Error('not written yet')
  }
  countContacts(): Promise<number> {
    throw new Error('not written yet')
  }
  removeNamed(): Promise<number> {
    throw new Error('not written yet')
  }
}
