import * as v from 'valibot'
import {
  choicesOf,
  FIELDS_READ,
  type FieldKind,
  fieldOfContact,
  type GivenFields,
} from '../values/fields-of-contact.ts'
import type { Json } from '../values/json.ts'
import { fieldProblem } from '../values/parse.ts'
import { SUBSCRIPTION_REASONS, type SubscriptionReason } from '../values/subscription-reason.ts'
import type { DataChange } from './contact.ts'
import { addressIn, shownAddress } from './csv-address.ts'
import { unguarded, valueInCell } from './csv-cells.ts'
import { type CsvColumns, isLong, MAX_CELL, MAX_COLUMNS, type StatusColumn } from './csv-columns.ts'
import { typedValue, whyNoValue } from './csv-formats.ts'
import { isDate, isLeaving, type Standing, standingOf } from './csv-status.ts'
import { type RowTopics, topicsIn } from './csv-topics.ts'

/** One row of a file, read. */
export type CsvRow =
  | {
      readonly kind: 'contact'
      readonly email: string
      readonly subscribed: boolean | undefined
      /** Whether a contact that is new gets marketing mail, where `subscribed` says nothing. */
      readonly subscribedWhenNew: boolean
      /** How the person left, here or elsewhere, where the row says that it did. */
      readonly leftBy: SubscriptionReason | undefined
      /** Fields of the contact besides these two. */
      readonly fields: Partial<Omit<GivenFields, 'email' | 'subscribed'>>
      readonly topics: RowTopics
      readonly change: DataChange
    }
  | { readonly kind: 'blank' }
  | {
      readonly kind: 'refused'
      readonly email: string
      readonly error: string
      /** Names of topics that it lists and the project has not. */
      readonly missing?: readonly string[]
    }

/**
 * Reads one row. An empty cell changes nothing; a row of empty cells is blank. Cells that are missing at the end are
 * empty, as spreadsheets leave them out.
 */
export function readRow(columns: CsvColumns, cells: readonly string[]): CsvRow {
  if (cells.every((cell) => cell === '')) return { kind: 'blank' }
  const address = cells[columns.email] ?? ''
  const refused = (error: string) => ({ kind: 'refused' as const, email: shownAddress(address), error })
  if (cells.length > columns.count && cells.slice(columns.count).some((cell) => cell !== '')) {
    const count = cells.length > MAX_COLUMNS ? `more than ${MAX_COLUMNS}` : cells.length
    return refused(`has ${count} cells, the header has ${columns.count}`)
  }
  const read = addressIn(address)
  if ('error' in read) return refused(read.error)
  const long = cells.some(isLong) && columns.named.find(({ index, key }) => key !== null && isLong(cells[index] ?? ''))
  if (long) return refused(`${long.header}: has more than ${MAX_CELL} characters, the most that a cell may have`)
  const wish = wishIn(columns, cells)
  if (wish === undefined) return refused('subscribed: must be true, 1, yes, false, 0 or no')
  const fields = fieldsIn(columns, cells)
  if (typeof fields === 'string') return refused(fields)
  const topics = topicsIn(columns.topics, cells)
  if ('error' in topics) return { ...refused(topics.error), ...(topics.missing ? { missing: topics.missing } : {}) }
  const set = new Map<string, Json>()
  for (const { index, key, form } of columns.data) {
    const cell = cells[index] ?? ''
    if (cell === '') continue
    if (cell.includes('\u0000')) return refused(`${key}: must not contain NUL`)
    const value = form === undefined ? valueInCell(cell, columns.isExport) : typedValue(cell, form, columns.isExport)
    if (value === undefined) return refused(`${key}: ${whyNoValue(cell, form ?? 'string')}`)
    set.set(key, value)
  }
  const change = { set, unset: NOTHING, variables: {} }
  return { kind: 'contact', email: read.email, ...wish, fields, topics, change }
}

/** The fields besides the address and the subscription that a row names, or why it is refused. */
function fieldsIn(columns: CsvColumns, cells: readonly string[]): Partial<GivenFields> | string {
  const found: [string, unknown][] = []
  for (const [name, index] of columns.fields) {
    const cell = cells[index] ?? ''
    if (name === 'email' || name === 'subscribed' || cell === '') continue
    const own = fieldOfContact(name)
    const schema: v.GenericSchema = FIELDS_READ[name]
    const read = v.safeParse(schema, inCell(own.kind, cell))
    if (read.success) found.push([name, read.output])
    else
      return `${name}: ${own.kind === 'choice' ? `must be ${choicesOf(own.field).join(', ')}` : fieldProblem(read.issues[0]).message}`
  }
  return Object.fromEntries(found)
}

function inCell(kind: FieldKind, cell: string): string | number {
  if (kind === 'choice') return cell.toLowerCase()
  if (kind === 'number' && !Number.isNaN(Number(cell))) return Number(cell)
  return unguarded(cell) ?? cell
}

const NOTHING: ReadonlySet<string> = new Set()

/**
 * The subscription by a row; undefined when it cannot be read. A person who has left somewhere is out, whatever else is
 * said. Only what is known to mean a subscription makes one, and that of new contacts alone: a contact of ours that has
 * unsubscribed comes back by `subscribed` and by nothing else.
 */
function wishIn(
  columns: CsvColumns,
  cells: readonly string[],
): Pick<Extract<CsvRow, { kind: 'contact' }>, 'subscribed' | 'subscribedWhenNew' | 'leftBy'> | undefined {
  const explicit = cells[columns.fields.get('subscribed') ?? -1] ?? ''
  const own = explicit === '' ? undefined : (SUBSCRIBED.get(explicit.toLowerCase()) ?? wordIn(explicit))
  if (own === null) return undefined
  const isWord = own === 'left' && !SUBSCRIBED.has(explicit.toLowerCase())
  const standings = columns.statuses.map((column) => standingIn(column, cells[column.index] ?? ''))
  const isLeft = isWord || standings.includes('left') || columns.elsewhere.some((at) => isLeaving(cells[at] ?? ''))
  const leftBy = leftIn(columns, cells) ?? (isLeft ? 'import' : undefined)
  if (own === 'left' || leftBy !== undefined) return { subscribed: false, subscribedWhenNew: false, leftBy }
  if (own === 'waiting' || standings.includes('waiting')) return { ...OPEN, subscribedWhenNew: false }
  if (own === 'in') return { ...OPEN, subscribed: true }
  const isDoubtful = standings.includes('unknown') && !standings.includes('in')
  return { ...OPEN, subscribedWhenNew: !isDoubtful }
}

const OPEN = { subscribed: undefined, subscribedWhenNew: true, leftBy: undefined }

/** How the contact left, in an export of this service. */
function leftIn({ left }: CsvColumns, cells: readonly string[]): SubscriptionReason | undefined {
  const cell = cells[left] ?? ''
  return cell === '' ? undefined : (SUBSCRIPTION_REASONS.find((reason) => reason === cell) ?? 'import')
}

/** Null for a word that means nothing here; undefined for a date, which says when and not whether. */
function wordIn(cell: string): Exclude<Standing, 'unknown'> | undefined | null {
  if (isDate(cell)) return undefined
  const standing = standingOf('word', cell)
  return standing === 'unknown' || standing === undefined ? null : standing
}

/** A column of statuses that is empty leaves open whether a contact is subscribed. */
function standingIn({ kind, isGiven }: StatusColumn, cell: string): Standing | undefined {
  const isLoose = kind === 'state' || (isGiven && kind === 'word')
  const standing = standingOf(isLoose ? 'state' : kind, cell)
  if (kind === 'sign' && isGiven && standing === 'waiting') return undefined
  if (standing === 'left' || standing === 'waiting' || kind === 'left' || kind === 'sign') return standing
  return isLoose || isGiven ? undefined : (standing ?? 'unknown')
}

const SUBSCRIBED: ReadonlyMap<string, 'in' | 'left'> = new Map([
  ...(['true', '1', 'yes'] as const).map((word) => [word, 'in'] as const),
  ...(['false', '0', 'no'] as const).map((word) => [word, 'left'] as const),
])
