import type { ProjectId } from '../../../core/projects/project.ts'
import type { Session } from './session.ts'

/** How many rows of a project have some quality, as the triggers have counted them. */
export interface Tally {
  readonly name: string
  readonly kind: string
  readonly count: number
}

/** The tallies of a subject (see entities/tallies.ts) that are not zero, in the order of their names. */
export async function tallied(
  session: Session,
  projectId: ProjectId,
  subject: 'contact' | 'field' | 'event',
): Promise<readonly Tally[]> {
  const sql = `select "name", "kind", sum("count") as "count" from "tallies" where "project_id" = ? and "subject" = ?
    group by "name", "kind" having sum("count") > 0 order by "name", "kind"`
  const rows = await session.all(sql, [projectId, subject])
  return rows.map((row) => ({ name: String(row.name), kind: String(row.kind), count: Number(row.count) }))
}

/** Whether so many of all contacts are the project's that the whole table is read more quickly than they are by an index. */
export async function hasMostContacts(session: Session, projectId: ProjectId): Promise<boolean> {
  const { all } = await talliedContacts(session, projectId)
  if (all < MANY) return false
  const sql = `select sum("count") as "count" from "tallies" where "subject" = 'contact' and "kind" = 'all'`
  const [row] = await session.all(sql, [])
  return all * 3 >= Number(row?.count)
}

/** Of fewer contacts it does not matter how they are read. */
const MANY = 2000

/** How many contacts the project has: all, subscribed and not. */
export async function talliedContacts(
  session: Session,
  projectId: ProjectId,
): Promise<{ readonly all: number; readonly subscribed: number }> {
  const counts = new Map((await tallied(session, projectId, 'contact')).map(({ kind, count }) => [kind, count]))
  return { all: counts.get('all') ?? 0, subscribed: counts.get('subscribed') ?? 0 }
}
