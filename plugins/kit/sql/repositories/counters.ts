/* SQL by hand: sums over the counters that triggers keep. */
import type { ProjectId } from '../../../../core/values/project-id.ts'
import type { Row, Session } from '../engine/session.ts'

/** How many rows of a kind a project has, as counted by the triggers. */
export interface Counter {
  readonly name: string
  readonly kind: string
  readonly count: number
}

/** The counters above zero for one name of a subject (see entities/counters.ts). */
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
 * The counters above zero of a subject, sorted by name. If there are more names than `limit`, those with the highest
 * counts. `names` is the number of all names.
 */
export async function largestCounters(
  session: Session,
  projectId: ProjectId,
  subject: 'field' | 'event',
  limit = NO_LIMIT,
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

/** The `limit` that means no limit. */
export const NO_LIMIT = 2 ** 31 - 1

function counterOf(row: Row): Counter {
  return { name: String(row.name), kind: String(row.kind), count: Number(row.count) }
}

/**
 * Whether the project has so large a part of all contacts that reading the whole table is faster than using an index.
 */
export async function hasMostContacts(session: Session, projectId: ProjectId): Promise<boolean> {
  const { all } = await contactCounters(session, projectId)
  if (all < MIN_CONTACTS) return false
  // a project at a time, since each campaign has counters as well
  const sql = `select sum(t."count") as "count" from "projects" as p cross join "tallies" as t
    where t."project_id" = p."id" and t."subject" = 'contact' and t."name" = '' and t."kind" = 'all'`
  const [row] = await session.all(sql, [])
  return all * 3 >= Number(row?.count)
}

/** Below this, it does not matter how contacts are read. */
const MIN_CONTACTS = 2000

/** How many contacts the project has: all, and subscribed. */
export async function contactCounters(
  session: Session,
  projectId: ProjectId,
): Promise<{ readonly all: number; readonly subscribed: number }> {
  const counts = new Map((await countersOf(session, projectId, 'contact', '')).map(({ kind, count }) => [kind, count]))
  return { all: counts.get('all') ?? 0, subscribed: counts.get('subscribed') ?? 0 }
}
