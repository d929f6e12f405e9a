import type { Dialect, GivenColumn, Sql } from './dialect.ts'
import type { Params } from './session.ts'

/**
 * A table expression over these rows of encoded values. Columns in which all rows agree are given once: taken out of every
 * row, such a value costs SQLite as much as one that differs. The first `keys` columns, by which rows are met, are not: as
 * a constant one could lead SQLite to an index that finds far too much.
 */
export function givenRows(
  dialect: Dialect,
  columns: readonly GivenColumn[],
  keys: number,
  rows: readonly Params[],
): Sql {
  const [first = []] = rows
  const places = columns.map((_column, i) => i)
  const isSame = (i: number) => i >= keys && rows.every((row) => row[i] === first[i])
  const same = places.filter(isSame)
  const different = places.filter((i) => !same.includes(i))
  const listed = pick(columns, different)
  return {
    text: dialect.given(listed, pick(columns, same)),
    params: [
      ...pick(first, same),
      ...dialect.givenParams(
        listed,
        rows.map((row) => pick(row, different)),
      ),
    ],
  }
}

function pick<T>(values: readonly T[], places: readonly number[]): T[] {
  return places.map((i) => values[i] as T)
}
