import type { Json } from '../values/json.ts'

/** The first columns of an export; the data keys follow. */
export const EXPORT_COLUMNS = ['id', 'email', 'subscribed', 'tracking', 'createdAt', 'updatedAt'] as const
/** The first columns of exports made before contacts had a consent to tracking. */
const FORMER_COLUMNS = EXPORT_COLUMNS.filter((name) => name !== 'tracking')

/** How many leading columns of a header are those of an export of this service; undefined for any other file. */
export function exportColumnsIn(header: readonly string[]): number | undefined {
  return [EXPORT_COLUMNS, FORMER_COLUMNS].find((names) => names.every((name, i) => name === header[i]))?.length
}

const NAMES: ReadonlySet<string> = new Set(EXPORT_COLUMNS)

/** The column of a data key in an export: the key itself, unless that name has another meaning there. */
export function columnOfKey(key: string): string {
  return NAMES.has(key) || key === '' || key.startsWith('data.') || key !== key.trim() ? `data.${key}` : key
}

/** The data key of a column of an export. */
export function keyOfColumn(column: string): string {
  return column.startsWith('data.') ? column.slice('data.'.length) : column
}

/**
 * Text as a cell. A text that a spreadsheet would run as a formula gets a `'` in front (OWASP, "CSV Injection": `=`,
 * `+`, `-`, `@`, tab, line ends, and their wide forms), and so does one that already looks guarded.
 */
export function guarded(text: string): string {
  return GUARDED.test(text) ? `'${text}` : text
}

/** The text of a guarded cell; undefined for any other cell. */
export function unguarded(cell: string): string | undefined {
  return cell.charCodeAt(0) === 39 && GUARDED.test(cell) ? cell.slice(1) : undefined
}

const GUARDED = /^'*[=+\-@\t\r\n＝＋－＠]/

/** A value of a contact's data as a cell: numbers and booleans as they are, objects as JSON, null as an empty cell. */
export function cellOf(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return guarded(value)
  return typeof value === 'object' ? guarded(JSON.stringify(value)) : String(value)
}
