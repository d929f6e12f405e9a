import type { ProjectId } from '../../../../core/values/project-id.ts'
import type { Row, Session } from '../engine/session.ts'

/** How many rows of a project have some quality, as the triggers have counted them. */
export interface Counter {
  readonly name: string
  readonly kind: string
  readonly count: number
}

/** The counters of one name of a subject (see entities/counters.ts) that are not zero. */
export async function countersOf(
  session: Session,
  projectId: ProjectId,
  subject: 'contact' | 'field' | 'event',
  name: string,
): Promise<readonly Counter[]> {
  const sql = `select "name", "kind", sum("count") as "count" from "tallies"
    where "project_id" = ? and "subject" = ? and "name" = ? group by "name", "kind" having sum("count") > 0`
  const rows = await session.all(sql, [projectId, subject, name])
  return rows.map(counterOf)
}

/**
 * The counters of a subject that are not zero, in the order of their names; of more names than `limit` those that are
 * counted most. `names` is how many there are in all.
 */
export async function largestCounters(
  session: Session,
  projectId: ProjectId,
  subject: 'field' | 'event',
  limit = ALL,
): Promise<{ readonly rows: readonly Counter[]; readonly names: number }> {
  const sql = `with "kinds" as materialized (
      select "name", "kind", sum("count") as "count" from "tallies" where "project_id" = ? and "subject" = ?
      group by "name", "kind" having sum("count") > 0),
    "most" as materialized (
      select "name", count(*) over () as "names" from "kinds" group by "name" order by sum("count") desc, "name" limit ?)
    select "name", "kind", "count", "names" from "most" join "kinds" using ("name") order by "name", "kind"`
  const rows = await session.all(sql, [projectId, subject, limit])
  return { rows: rows.map(counterOf), names: Number(rows[0]?.names ?? 0) }
}

/** A limit that is none. */
export const ALL = 2 ** 31 - 1

function counterOf(row: Row): Counter {
  return { name: String(row.name), kind: String(row.kind), count: Number(row.count) }
}

/** Whether so many of all contacts are the project's that the whole table is read more quickly than they are by an index. */
export async function hasMostContacts(session: Session, projectId: ProjectId): Promise<boolean> {
  const { all } = await contactCounters(session, projectId)
  if (all < MANY) return false
  const sql = `select sum("count") as "count" from "tallies" where "subject" = 'contact' and "kind" = 'all'`
  const [row] = await session.all(sql, [])
  return all * 3 >= Number(row?.count)
}

/** Of fewer contacts it does not matter how they are read. */
const MANY = 2000

/** How many contacts the project has: all, subscribed and not. */
export async function contactCounters(
  session: Session,
  projectId: ProjectId,
): Promise<{ readonly all: number; readonly subscribed: number }> {
  const counts = new Map((await countersOf(session, projectId, 'contact', '')).map(({ kind, count }) => [kind, count]))
  return { all: counts.get('all') ?? 0, subscribed: counts.get('subscribed') ?? 0 }
}
