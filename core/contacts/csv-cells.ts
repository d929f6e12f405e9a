import type { Json } from '../values/json.ts'

/** The columns an export begins with; the data keys follow. */
export const EXPORT_COLUMNS = ['id', 'email', 'subscribed', 'tracking', 'createdAt', 'updatedAt'] as const
/** Those it began with before there was a consent to tracking. */
const FORMER_COLUMNS = EXPORT_COLUMNS.filter((name) => name !== 'tracking')

/** How many columns of a header are those an export of this service begins with; undefined for any other file. */
export function exportColumnsIn(header: readonly string[]): number | undefined {
  return [EXPORT_COLUMNS, FORMER_COLUMNS].find((names) => names.every((name, i) => name === header[i]))?.length
}

const NAMES: ReadonlySet<string> = new Set(EXPORT_COLUMNS)

/** The column a data key has in an export: its own name, unless that means something else there. */
export function columnOfKey(key: string): string {
  return NAMES.has(key) || key === '' || key.startsWith('data.') || key !== key.trim() ? `data.${key}` : key
}

/** The data key of a column of an export. */
export function keyOfColumn(column: string): string {
  return column.startsWith('data.') ? column.slice('data.'.length) : column
}

/**
 * A text as a cell. One that a spreadsheet would run as a formula is guarded by a `'` before it (OWASP, "CSV Injection":
 * `=`, `+`, `-`, `@`, tab, line ends, and their wide forms), and so is one that begins like a guarded one.
 */
export function guarded(text: string): string {
  return GUARDED.test(text) ? `'${text}` : text
}

/** The text of a guarded cell; undefined for any other cell. */
export function unguarded(cell: string): string | undefined {
  return cell.charCodeAt(0) === 39 && GUARDED.test(cell) ? cell.slice(1) : undefined
}

const GUARDED = /^'*[=+\-@\t\r\n＝＋－＠]/

/** A value of a contact's data as a cell: a number, true and false as they are, an object as JSON, null as nothing. */
export function cellOf(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return guarded(value)
  return typeof value === 'object' ? guarded(JSON.stringify(value)) : String(value)
}
