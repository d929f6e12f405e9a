import { FIELDS_OF_CONTACT } from '../values/fields-of-contact.ts'
import { type Json, unstorable } from '../values/json.ts'
import { DATA_LIMITS } from './data-limits.ts'

/** The column of an export that says how a contact left. */
export const LEFT_COLUMN = 'leftBy'
/** The first columns of an export; the data keys follow. */
export const EXPORT_COLUMNS: readonly string[] = ['id', ...FIELDS_OF_CONTACT, LEFT_COLUMN]
/** Those that exports have had from the first version on; fields came between them later. */
const FIRST_COLUMNS: readonly string[] = ['id', 'email', 'subscribed', 'createdAt', 'updatedAt']

/** How many leading columns of a header are those of an export of this service; undefined for any other file. */
export function exportColumnsIn(header: readonly string[]): number | undefined {
  let count = 0
  for (const name of EXPORT_COLUMNS) {
    if (header[count] === name) count++
    else if (FIRST_COLUMNS.includes(name)) return undefined
  }
  return count
}

/** The column of the reasons in a file of refused rows. An import leaves it out, so that a mended file can be imported as it is. */
export const REASON_COLUMN = 'import_error'

const NAMES: ReadonlySet<string> = new Set([...EXPORT_COLUMNS, REASON_COLUMN])

/** The column of a data key in an export: the key itself, unless that name has another meaning there. */
export function columnOfKey(key: string): string {
  const isOther =
    NAMES.has(key) || key === '' || key.startsWith('data.') || /^(?:topics?(?::|$)|consentText$)/i.test(key)
  return isOther || key !== key.trim() ? `data.${key}` : key
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

/**
 * A cell of another file, safe for a spreadsheet and with the same meaning for an import: a number stays one, and what
 * has its guard gets no second one. A single sign is no formula.
 */
export function guardedAgain(cell: string): string {
  return cell.length < 2 || cell.charCodeAt(0) === APOSTROPHE || isNumber(cell) ? cell : guarded(cell)
}

/** The text of a guarded cell; undefined for any other cell. */
export function unguarded(cell: string): string | undefined {
  return cell.charCodeAt(0) === 39 && GUARDED.test(cell) ? cell.slice(1) : undefined
}

const GUARDED = /^'*[=+\-@\t\r\n＝＋－＠]/

/**
 * A value of a contact's data as a cell: numbers and booleans as they are, objects and lists as JSON, null as an empty
 * cell. A text that an import would read as one of these is guarded, too, and so is an empty one.
 */
export function cellOf(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return isGuardedValue(value) || ONLY_GUARDS.test(value) ? `'${value}` : value
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/**
 * The value in a cell: a guarded text without its guard; true and false in any case; a number when its text is exactly
 * how that number is written (so `007`, `1e5`, `+1`, `1.0` and a number too long to be held exactly are texts); in an
 * export of this service, an object or a list; otherwise a text.
 */
export function valueInCell(cell: string, isExport: boolean): Json {
  const first = cell.charCodeAt(0)
  if (first === APOSTROPHE) return isGuardedValue(cell) || (isExport && ONLY_GUARDS.test(cell)) ? cell.slice(1) : cell
  if (first === MINUS || (first >= 48 && first <= 57)) {
    const number = Number(cell)
    return Number.isFinite(number) && String(number) === cell ? number : cell
  }
  if (first === BRACE || first === BRACKET) return (isExport ? objectIn(cell) : undefined) ?? cell
  if (cell.length > 5) return cell
  const word = cell.toLowerCase()
  return word === 'true' ? true : word === 'false' ? false : cell
}

/** The type of all values of a column. */
export const COLUMN_TYPES = ['string', 'number', 'boolean', 'date'] as const
export type ColumnType = (typeof COLUMN_TYPES)[number]

/** A decimal number, in digits and a point, without what would be lost if it were stored as a number. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/
/** As many digits as a number holds whatever they are. */
export const MAX_DIGITS = 15

/** Whether a cell is a number that may be stored as one: not `007`, `+1`, `1e5`, `1,299.00` or 16 digits. */
export function isNumber(cell: string): boolean {
  if (!NUMBER.test(cell) || cell === '-0') return false
  return cell.length <= MAX_DIGITS || cell.replace(/^-?0?\.?0*|[.]/g, '').length <= MAX_DIGITS
}

export function isBoolean(cell: string): boolean {
  return /^(?:true|false)$/i.test(cell)
}

/** An empty text in an export is a guard alone: an empty cell there is no value at all. */
const ONLY_GUARDS = /^'*$/

/** The sign before a guarded cell. */
export const APOSTROPHE = 39
const [MINUS, BRACKET, BRACE] = [45, 91, 123]

/** Whether an apostrophe before this text is a guard: as for `guarded`, and where the text means another value. */
function isGuardedValue(text: string): boolean {
  if (GUARDED.test(text)) return true
  const plain = text.charCodeAt(0) === APOSTROPHE ? text.replace(/^'+/, '') : text
  return typeof valueInCell(plain, true) !== 'string'
}

function objectIn(cell: string): Json | undefined {
  // more than a contact may hold
  if (cell.length > DATA_LIMITS.contactBytes) return undefined
  try {
    const value: Json = JSON.parse(cell)
    return unstorable(value) === undefined ? value : undefined
  } catch {
    return undefined
  }
}
