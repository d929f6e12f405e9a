/**
 * Sorts rows by their place in a unique index. Transactions that write some of the same rows all write them in this
 * order: one waits for the other, never each for the other.
 */
export function inOrder<T>(rows: T[], place: (row: T) => string): T[] {
  if (rows.length < 2) return rows
  const placed = rows.map((row) => ({ row, at: place(row) }))
  placed.sort((a, b) => (a.at < b.at ? -1 : Number(a.at > b.at)))
  return placed.map(({ row }) => row)
}
