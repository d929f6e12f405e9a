/* SQL by hand: sums over the counters, which the database makes. */
import {
  COUNTED,
  type Counted,
  type DomainFigures,
  type DomainRefusal,
  type DomainSide,
  type Figures,
  type ReputationRepository,
  type SenderFigures,
} from '../../../../../core/ports/store/reputation.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { Repository } from '../../engine/repository.ts'
import type { Row } from '../../engine/session.ts'
import { addCounted, dateOf, dayOf, daysFrom, NOTHING } from './counted.ts'

const SUMS = COUNTED.map((fact) => `sum("${fact}") as "${fact}"`).join(', ')
const COLUMNS = { recipientDomain: 'recipient_domain', sendingDomain: 'sending_domain' } as const

/** How well mail arrives. */
export class SqlReputation extends Repository implements ReputationRepository {
  async add(counted: readonly Counted[]): Promise<void> {
    if (counted.length > 0) await this.access.write((session) => addCounted(this.tables, session, counted))
  }

  async figures(projectId: ProjectId, by: DomainSide, since: Date, limit: number): Promise<readonly DomainFigures[]> {
    const column = COLUMNS[by]
    const which = by === 'sendingDomain' ? `"recipient_domain" = ''` : `"recipient_domain" <> ''`
    const sql = `select "${column}" as "domain", ${SUMS} from "delivery_counts"
      where "day" ${this.dialect.listed('integer')} and "project_id" = ? and ${which}
      group by "${column}" order by sum("sent") desc, "${column}" limit ?`
    const params = [this.dialect.list(daysFrom(since)), projectId, limit]
    const rows = await this.access.scan(projectId, (session) => session.all(sql, params))
    return rows.map((row) => ({ domain: String(row.domain), ...figuresOf(row) }))
  }

  async refusals(
    projectId: ProjectId,
    by: DomainSide,
    domains: readonly string[],
    since: Date,
    each: number,
  ): Promise<readonly DomainRefusal[]> {
    const { dialect } = this
    const column = COLUMNS[by]
    const sql = `select "domain", "code", "text", "at" from (
        select "${column}" as "domain", "code", "text", "at",
          row_number() over (partition by "${column}" order by "at" desc, "code") as "place"
        from "delivery_refusals" where "project_id" = ? and "${column}" ${dialect.listed('text')} and "at" >= ?) as "told"
      where "place" <= ? order by "domain", "place"`
    const params = [projectId, dialect.list(domains), dialect.encode('date')(since), each]
    const rows = await this.access.scan(projectId, (session) => session.all(sql, params))
    return rows.map((row) => ({ domain: String(row.domain), ...this.tables.deliveryRefusals.record(row) }))
  }

  async sender(projectId: ProjectId, domain: string, since: Date): Promise<Figures> {
    const sql = `select ${SUMS} from "delivery_counts"
      where "project_id" = ? and "sending_domain" = ? and "day" >= ? and recipient_domain = ''`
    const [row] = await this.access.all(sql, [projectId, domain, dayOf(since)])
    return row ? figuresOf(row) : NOTHING
  }

  async between(projectId: ProjectId, from: string, to: readonly string[], since: Date) {
    const { dialect } = this
    const sql = `select "day", ${SUMS} from "delivery_counts" where "day" ${dialect.listed('integer')}
      and "project_id" = ? and "sending_domain" = ? and "recipient_domain" ${dialect.listed('text')}
      group by "day" order by "day"`
    const params = [dialect.list(daysFrom(since)), projectId, from, dialect.list(to)]
    const rows = await this.access.scan(projectId, (session) => session.all(sql, params))
    return rows.map((row) => ({ day: dateOf(Number(row.day)), ...figuresOf(row) }))
  }

  async senders(since: Date, least: number): Promise<readonly SenderFigures[]> {
    const sql = `select "project_id", "sending_domain" as "domain", ${SUMS} from "delivery_counts"
      where recipient_domain = '' and "day" >= ? group by "project_id", "sending_domain" having sum("sent") >= ?`
    const rows = await this.access.all(sql, [dayOf(since), least])
    return rows.map((row) => ({
      projectId: String(row.project_id) as ProjectId,
      domain: String(row.domain),
      ...figuresOf(row),
    }))
  }

  async forget(before: Date, limit: number): Promise<number> {
    const counts = `select "day", "project_id", "sending_domain", "recipient_domain", "slot" from "delivery_counts"
      where "day" < ? limit ?`
    const refusals = `select "project_id", "sending_domain", "recipient_domain", "code" from "delivery_refusals"
      where "at" < ? limit ?`
    const date = this.dialect.encode('date')(before)
    return this.access.write(async (session) => {
      const gone = await session.run(
        `delete from "delivery_counts"
          where ("day", "project_id", "sending_domain", "recipient_domain", "slot") in (${counts})`,
        [dayOf(before), limit],
      )
      const told = await session.run(
        `delete from "delivery_refusals"
          where ("project_id", "sending_domain", "recipient_domain", "code") in (${refusals})`,
        [date, limit],
      )
      return Math.max(gone, told)
    })
  }
}

function figuresOf(row: Row): Figures {
  const of = (fact: (typeof COUNTED)[number]) => Number(row[fact] ?? 0)
  const [sent, delivered, deferred] = [of('sent'), of('delivered'), of('deferred')]
  return { sent, delivered, deferred, bounced: of('bounced'), complained: of('complained') }
}
