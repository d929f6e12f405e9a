/* SQL by hand: a page is read by the index of a moment, whatever the table. */
import { momentOf } from '../../../../../core/values/id.ts'
import type { PageRequest } from '../../../../../core/values/page.ts'
import type { Conditions } from '../../engine/conditions.ts'
import type { Dialect } from '../../engine/dialect.ts'
import type { Row, Session } from '../../engine/session.ts'

/** Rows that are listed by a moment, with an id that is made of it. */
export interface Moments {
  /** The list and the tables of a select, joins included. */
  readonly list: string
  readonly from: string
  readonly where: Conditions
  /** The column of the moment. */
  readonly column: string
}

/** From a moment up to, not including, another. */
export interface Between {
  readonly from?: Date | undefined
  readonly to?: Date | undefined
}

/**
 * The rows of a page, newest first, enough for `limit + 1` after its cursor. The database cannot sort rows of one
 * millisecond by the ids made of them, so all of the first one and of the last one are read, also those before the
 * cursor.
 */
export async function rowsByMoment(
  dialect: Dialect,
  session: Session,
  { list, from, where, column }: Moments,
  { after, limit }: PageRequest,
  between: Between = {},
): Promise<readonly Row[]> {
  const date = dialect.encode('date')
  if (between.from) where.and(`${column} >= ?`, date(between.from))
  if (between.to) where.and(`${column} < ?`, date(between.to))
  let ties = 0
  if (after) {
    const moment = date(momentOf(after.id))
    const sql = `select count(*) as "count" from ${from} where ${where.text} and ${column} = ?`
    ties = Number((await session.all(sql, [...where.params, moment]))[0]?.count)
    where.and(`${column} <= ?`, moment)
  }
  const last = `select ${column} as "moment" from ${from} where ${where.text} order by ${column} desc limit 1 offset ?`
  const [end] = await session.all(last, [...where.params, limit + ties])
  if (end) where.and(`${column} >= ?`, end.moment)
  const sql = `select ${list}, ${column} as "moment" from ${from} where ${where.text} order by ${column} desc`
  return session.all(sql, where.params)
}
