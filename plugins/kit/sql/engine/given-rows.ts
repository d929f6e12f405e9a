import type { Dialect, GivenColumn, Sql } from './dialect.ts'
import type { Params } from './session.ts'

/**
 * A table expression over these rows of encoded values. When all rows agree in every column from `own` on, those are given
 * once: taken out of every row, such a value costs SQLite as much as one that differs. Together or not at all, since each
 * combination would be a statement that is prepared and kept.
 */
export function givenRows(
  dialect: Dialect,
  columns: readonly GivenColumn[],
  own: number,
  rows: readonly Params[],
): Sql {
  const [first = []] = rows
  const common = first.slice(own)
  const agree = rows.every((row) => common.every((value, i) => row[own + i] === value))
  if (!agree) return { text: dialect.given(columns), params: dialect.givenParams(columns, rows) }
  const listed = columns.slice(0, own)
  const ownParams = dialect.givenParams(
    listed,
    rows.map((row) => row.slice(0, own)),
  )
  return { text: dialect.given(listed, columns.slice(own)), params: [...common, ...ownParams] }
}
