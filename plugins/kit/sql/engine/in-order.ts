/** The values in the order of their keys, as `inOrder` sorts rows. */
export function valuesInOrder<T>(rows: ReadonlyMap<string, T>): readonly T[] {
  if (rows.size < 2) return [...rows.values()]
  return [...rows.keys()].sort().map((key) => rows.get(key) as T)
}

/**
 * Sorts rows by their key in a unique index. Transactions that write some of the same rows write them in this order, so
 * that they never wait for each other in a circle.
 */
export function inOrder<T>(rows: T[], place: (row: T) => string): T[] {
  if (rows.length < 2) return rows
  const placed = rows.map((row) => ({ row, at: place(row) }))
  placed.sort((a, b) => (a.at < b.at ? -1 : Number(a.at > b.at)))
  return placed.map(({ row }) => row)
}
