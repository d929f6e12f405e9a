/**
 * Prints records on the standard output: as a JSON array, with everything in them, or as a table of these columns.
 */
export function printRecords<Field extends string>(
  records: readonly Readonly<Record<Field, unknown>>[],
  columns: readonly Field[],
  json: boolean,
): void {
  process.stdout.write(json ? `${JSON.stringify(records)}\n` : tableOf(records, columns))
}

function tableOf<Field extends string>(
  records: readonly Readonly<Record<Field, unknown>>[],
  columns: readonly Field[],
): string {
  const rows = [
    columns as readonly string[],
    ...records.map((record) => columns.map((column) => cellOf(record[column]))),
  ]
  const widths = columns.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)))
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, i) => cell.padEnd(widths[i] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (value instanceof Date) return value.toISOString()
  return Array.isArray(value) ? value.join(',') : String(value)
}
