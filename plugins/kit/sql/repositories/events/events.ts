/* SQL by hand: hot path, and lists that are read by the index of a moment. */
import type {
  EventFilter,
  EventRepository,
  EventStat,
  EventWithContact,
  NewEvent,
} from '../../../../../core/ports/store/events.ts'
import { EVENTS } from '../../../../../core/values/event-names.ts'
import type { PageRequest } from '../../../../../core/values/page.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { Conditions } from '../../engine/conditions.ts'
import { inOrder } from '../../engine/in-order.ts'
import { Repository } from '../../engine/repository.ts'
import type { Session } from '../../engine/session.ts'
import { EVENT_FIGURES } from '../../engine/stored-events.ts'
import { countersOf, largestCounters, NO_LIMIT } from '../counters.ts'
import { storeEvents } from './awaited-events.ts'
import { EVENTS_OF, eventIn, OF_ANY, OF_CONTACT } from './event-rows.ts'
import { isLedgerEvent, pageOfLedger, standsFor, statsOfLedger } from './ledger-events.ts'

/** The events, without the ORM. */
export class SqlEvents extends Repository implements EventRepository {
  async record(events: readonly NewEvent[]): Promise<void> {
    await this.access.write((session) => storeEvents(this.dialect, this.tables, session, events))
  }

  async page(projectId: ProjectId, filter: EventFilter, page: PageRequest): Promise<readonly EventWithContact[]> {
    const { events } = this.tables
    // by the index of mails; SQLite would use one of the project's
    const ofProject = filter.emailId === undefined ? 'e."project_id" = ?' : '(e."project_id" = ?) is true'
    const where = new Conditions()
      .and(ofProject, projectId)
      .equal('e."name"', filter.name)
      .equal('e."contact_id"', filter.contactId)
      .equal('e."email_id"', filter.emailId)
    if (page.after) where.and('e."id" < ?', page.after.id)
    const sql = `select ${events.listOf('e')}, c."email" as "contact_email" from ${EVENTS_OF}
      where ${where.text} and ${OF_ANY} order by e."id" desc limit ?`
    const read = async (session: Session) => {
      const rows = await session.all(sql, [...where.params, page.limit + 1])
      const stored = rows.map((row) => eventIn(events, row))
      const ofLedger = await pageOfLedger(this.access, session, projectId, filter, page)
      const all = inOrder([...stored, ...ofLedger], ({ id }) => id)
      return all.reverse().slice(0, page.limit + 1)
    }
    // all mails of a contact are looked through, which are few, but of an address for alerts may be many
    return filter.contactId === undefined ? this.access.read(read) : this.access.scan(projectId, read)
  }

  async stats(
    projectId: ProjectId,
    between: { readonly from?: Date; readonly to?: Date },
    limit = NO_LIMIT,
  ): Promise<readonly EventStat[]> {
    if (!between.from && !between.to) return this.#allStats(projectId, limit)
    const { dialect } = this
    const date = dialect.encode('date')
    const where = new Conditions().and('"project_id" = ?', projectId)
    if (between.from) where.and('"created_at" >= ?', date(between.from))
    if (between.to) where.and('"created_at" <= ?', date(between.to))
    const sql = `select "name", count(*) as "count", max("created_at") as "last_at" from "events"
      where ${where.text} group by "name"
      order by "name" in ('${EVENTS.sent}', '${EVENTS.delivery}') desc, "count" desc, "name" asc limit ?`
    return this.access.scan(projectId, async (session) => {
      // with the two that mails' rows are added to, whatever their place among the stored ones
      const params = [...where.params, Math.min(limit + 2, NO_LIMIT)]
      const stored = (await session.all(sql, params)).map((row) => ({
        name: String(row.name),
        count: Number(row.count),
        lastAt: this.#date(row.last_at),
      }))
      return added(stored, await statsOfLedger(dialect, session, projectId, between)).slice(0, limit)
    })
  }

  names(projectId: ProjectId, limit?: number): Promise<readonly { readonly name: string; readonly count: number }[]> {
    return this.access.scan(projectId, (session) => namesOf(session, projectId, limit))
  }

  async countNamed(projectId: ProjectId, name: string): Promise<number> {
    const [counters] = await this.access.read((session) => countersOf(session, projectId, 'event', name))
    return counters?.count ?? 0
  }

  async countContacts(projectId: ProjectId, name: string): Promise<number> {
    const stored = `select "contact_id" from "events" where "project_id" = ? and "name" = ? and ${OF_CONTACT}`
    const sql = isLedgerEvent(name)
      ? `select count(*) as "count" from (${stored} union select "contact_id" from "emails" where "project_id" = ?
          and "ledger_events" is not null and "contact_id" is not null and ${standsFor(name)}) as "contacts"`
      : `select count(distinct "contact_id") as "count" from (${stored}) as "contacts"`
    const params = isLedgerEvent(name) ? [projectId, name, projectId] : [projectId, name]
    const [row] = await this.access.scan(projectId, (session) => session.all(sql, params))
    return Number(row?.count)
  }

  removeNamed(projectId: ProjectId, name: string, limit: number): Promise<number> {
    const sql = `delete from "events" where "id" in (
      select "id" from "events" where "project_id" = ? and "name" = ? order by "id" limit ?) returning ${EVENT_FIGURES}`
    return this.access.write(async (session) => {
      const removed = await this.tables.events.remove(session, sql, [projectId, name, limit])
      return removed.length
    })
  }

  /** Counts from the counters, and the newest event of each name from the end of the index. */
  #allStats(projectId: ProjectId, limit: number): Promise<readonly EventStat[]> {
    const sql = 'select "created_at" from "events" where "project_id" = ? and "name" = ? order by "id" desc limit 1'
    return this.access.read(async (session) => {
      const stats: EventStat[] = []
      for (const { name, count } of await namesOf(session, projectId, limit)) {
        const [last] = await session.all(sql, [projectId, name])
        const ofLedger = await this.#lastOfLedger(session, projectId, name)
        const moments = [...(last ? [this.#date(last.created_at)] : []), ...(ofLedger ? [ofLedger] : [])]
        // the last one may be removed between the two reads
        if (moments.length > 0) stats.push({ name, count, lastAt: moments.reduce((a, b) => (a > b ? a : b)) })
      }
      return stats
    })
  }

  async #lastOfLedger(session: Session, projectId: ProjectId, name: string): Promise<Date | undefined> {
    if (!isLedgerEvent(name)) return undefined
    const sql = `select "sent_at" from "emails" where "project_id" = ? and "ledger_events" is not null
      and "contact_id" is not null and ${standsFor(name)} order by "sent_at" desc limit 1`
    const [last] = await session.all(sql, [projectId])
    return last && this.#date(last.sent_at)
  }

  #date(value: unknown): Date {
    return this.dialect.decode('date')(value) as Date
  }
}

/** The sums by name, most frequent first. */
function added(some: readonly EventStat[], others: readonly EventStat[]): readonly EventStat[] {
  const sums = new Map<string, EventStat>()
  for (const stat of [...some, ...others]) {
    const known = sums.get(stat.name)
    const lastAt = known && known.lastAt > stat.lastAt ? known.lastAt : stat.lastAt
    sums.set(stat.name, { name: stat.name, count: (known?.count ?? 0) + stat.count, lastAt })
  }
  return [...sums.values()].sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
}

async function namesOf(session: Session, projectId: ProjectId, limit: number | undefined) {
  const { rows } = await largestCounters(session, projectId, 'event', limit)
  const names = rows.map(({ name, count }) => ({ name, count }))
  // names with the same count stay in the database's order
  return names.sort((a, b) => b.count - a.count)
}
