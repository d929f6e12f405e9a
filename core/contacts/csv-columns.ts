import * as v from 'valibot'
import { type EngineError, invalidField } from '../errors.ts'
import { EmailAddress } from '../values/email-address.ts'
import { isStorableText, type Json } from '../values/json.ts'
import { TRACKING_CONSENTS, type TrackingConsent } from '../values/tracking-consent.ts'
import { type DataChange, RESERVED_KEYS } from './contact.ts'
import { exportColumnsIn, keyOfColumn, unguarded, valueInCell } from './csv-cells.ts'
import { DATA_LIMITS } from './data-limits.ts'

/** How many columns a file may have: as many as a contact may have keys. */
export const MAX_COLUMNS = DATA_LIMITS.keys

/** The meaning of each column of a file of contacts. */
export interface CsvColumns {
  /** Whether it begins like an export of this service. */
  readonly isExport: boolean
  readonly count: number
  readonly email: number
  readonly subscribed: number | undefined
  readonly tracking: number | undefined
  readonly data: readonly { readonly index: number; readonly key: string }[]
}

/** One row of a file, read. */
export type CsvRow =
  | {
      readonly kind: 'contact'
      readonly email: string
      readonly subscribed: boolean | undefined
      readonly tracking: TrackingConsent | undefined
      readonly change: DataChange
    }
  | { readonly kind: 'blank' }
  | { readonly kind: 'refused'; readonly email: string; readonly error: string }

/** True for the name of the column that holds the address. */
export function isEmailColumn(name: string): boolean {
  return name.trim().toLowerCase() === 'email'
}

/**
 * Reads the header. `email`, `subscribed` and `tracking` may be in any case. Columns without a name and with a reserved
 * key are skipped, and so are the dates in a file that begins like an export of this service. Throws EngineError
 * `VALIDATION_ERROR` on `file` for two columns of one name, a missing column `email`, too many columns and too long a
 * name.
 */
export function columnsOf(header: readonly string[]): CsvColumns {
  if (isTooWide(header)) throw tooManyColumns()
  const ofExport = exportColumnsIn(header)
  const isExport = ofExport !== undefined
  const names = header.map((cell) => unguarded(cell) ?? (isExport ? cell : cell.trim()))
  const own = ofExport ?? Number.POSITIVE_INFINITY
  const seen = new Set<string>()
  const special: { [Name in Special]?: number } = {}
  const data: { index: number; key: string }[] = []
  for (const [index, name] of names.entries()) {
    if (name === '') continue
    if (name.length > DATA_LIMITS.keyLength) {
      const message = `has a column name of more than ${DATA_LIMITS.keyLength} characters`
      throw invalidField('file', 'too_big', message)
    }
    if (!isStorableText(name)) throw invalidField('file', 'custom', 'has a column name with a NUL character')
    const meant = index < own ? SPECIAL.get(name.toLowerCase()) : undefined
    const known = meant ?? name
    if (seen.has(known)) throw invalidField('file', 'custom', `has more than one column ${JSON.stringify(known)}`)
    seen.add(known)
    if (meant) special[meant] = index
    else if (isExport && index < own) continue
    else data.push({ index, key: isExport ? keyOfColumn(name) : name })
  }
  const { email, subscribed, tracking } = special
  if (email === undefined) throw invalidField('file', 'custom', 'has no column named "email"')
  const kept = data.filter(({ key }) => !RESERVED_KEYS.has(key))
  return { isExport, count: header.length, email, subscribed, tracking, data: kept }
}

/** Whether there are too many columns; unnamed ones at the end do not count. */
export function isTooWide(header: readonly string[]): boolean {
  return header.slice(MAX_COLUMNS).some((name) => name !== '')
}

export function tooManyColumns(): EngineError {
  return invalidField('file', 'too_big', `has more than ${MAX_COLUMNS} columns`)
}

type Special = 'email' | 'subscribed' | 'tracking'
const SPECIAL: ReadonlyMap<string, Special> = new Map(
  (['email', 'subscribed', 'tracking'] as const).map((name) => [name, name] as const),
)

/** Reads one row. An empty cell changes nothing; a row of empty cells is blank. */
export function readRow(columns: CsvColumns, cells: readonly string[]): CsvRow {
  if (cells.every((cell) => cell === '')) return { kind: 'blank' }
  const address = cells[columns.email] ?? ''
  const refused = (error: string): CsvRow => ({ kind: 'refused', email: shown(address), error })
  const isTooLong = cells.length > columns.count && cells.slice(columns.count).some((cell) => cell !== '')
  if (isTooLong || cells.length < columns.count) {
    const count = cells.length > MAX_COLUMNS ? `more than ${MAX_COLUMNS}` : cells.length
    return refused(`has ${count} cells, the header has ${columns.count}`)
  }
  if (address === '') return refused('email: is required')
  const email = v.safeParse(EmailAddress, unguarded(address) ?? address)
  if (!email.success) return refused('email: must be an e-mail address such as ada@example.com')
  const subscribed = columns.subscribed === undefined ? '' : (cells[columns.subscribed] ?? '').toLowerCase()
  if (subscribed !== '' && !SUBSCRIBED.has(subscribed))
    return refused('subscribed: must be true, 1, yes, false, 0 or no')
  const consent = columns.tracking === undefined ? '' : (cells[columns.tracking] ?? '').toLowerCase()
  const tracking = TRACKING_CONSENTS.find((each) => each === consent)
  if (consent !== '' && tracking === undefined) return refused(`tracking: must be ${TRACKING_CONSENTS.join(', ')}`)
  const set = new Map<string, Json>()
  for (const { index, key } of columns.data) {
    const cell = cells[index] ?? ''
    if (cell === '') continue
    if (cell.includes('\u0000')) return refused(`${key}: must not contain NUL`)
    set.set(key, valueInCell(cell, columns.isExport))
  }
  const change = { set, unset: NOTHING, variables: {} }
  return { kind: 'contact', email: email.output, subscribed: SUBSCRIBED.get(subscribed), tracking, change }
}

const NOTHING: ReadonlySet<string> = new Set()

const SUBSCRIBED: ReadonlyMap<string, boolean> = new Map([
  ...(['true', '1', 'yes'] as const).map((word) => [word, true] as const),
  ...(['false', '0', 'no'] as const).map((word) => [word, false] as const),
])

/** The beginning of a cell's text, fit to be stored and shown. */
function shown(text: string): string {
  return text.replaceAll('\u0000', '\ufffd').slice(0, 320).toWellFormed()
}
