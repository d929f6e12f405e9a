import { type EngineError, invalidField } from '../errors.ts'
import { GIVEN_FIELDS, type GivenFields } from '../values/fields-of-contact.ts'
import { isStorableText } from '../values/json.ts'
import { RESERVED_KEYS } from './contact.ts'
import { addressIn } from './csv-address.ts'
import { exportColumnsIn, keyOfColumn, LEFT_COLUMN, REASON_COLUMN, unguarded } from './csv-cells.ts'
import { type ColumnForm, formOf } from './csv-formats.ts'
import { addressRank, usableKey } from './csv-names.ts'
import { isOfOtherChannel, type StatusKind, statusKind } from './csv-status.ts'
import {
  keyOfTopics,
  type NamedTopic,
  strayTopicNote,
  TOPICS_COLUMN,
  type TopicColumns,
  topicColumns,
} from './csv-topics.ts'
import { DATA_LIMITS } from './data-limits.ts'
import { usualKeys } from './field-meanings.ts'
import type { GivenColumn, GivenColumns } from './given-columns.ts'

/** How many columns a file may have: as many as a contact may have keys. */
export const MAX_COLUMNS = DATA_LIMITS.keys
/** How many characters a cell may have: no contact holds more. */
export const MAX_CELL = DATA_LIMITS.contactBytes

/** A column of the file, as it was understood. */
interface NamedColumn {
  readonly index: number
  readonly header: string
  /** The contact's field or the key of its data; null for a column that is left out. */
  readonly key: string | null
  /** The key by which mails print such values; absent when it has that one, or the caller gave it a key. */
  readonly usual?: string
  readonly note?: string
}

/** A column that says who is subscribed in another program. */
export interface StatusColumn {
  readonly index: number
  readonly kind: StatusKind
  /** Whether the caller gave the column a key, so that it may as well mean something else. */
  readonly isGiven: boolean
}

/** The meaning of each column of a file of contacts. */
export interface CsvColumns {
  /** Whether it begins like an export of this service. */
  readonly isExport: boolean
  readonly count: number
  readonly email: number
  /** The columns of the other fields of contacts. */
  readonly fields: ReadonlyMap<Special, number>
  readonly statuses: readonly StatusColumn[]
  /** The places of columns of any other name, in which a word that means leaving counts all the same. */
  readonly elsewhere: readonly number[]
  /** The column of an export of this service that says how a contact left; -1 in other files. */
  readonly left: number
  readonly topics: TopicColumns
  readonly data: readonly { readonly index: number; readonly key: string; readonly form?: ColumnForm | undefined }[]
  /** All columns that have a name. */
  readonly named: readonly NamedColumn[]
}

const SPECIAL = GIVEN_FIELDS
type Special = keyof GivenFields

/**
 * Reads the header. The address is in the column whose name says so most surely; the other fields of contacts may
 * be in any case. Any other column becomes a key of the data that a template can print. Columns without a name and with a
 * reserved key are skipped, and so are the dates in a file that begins like an export of this service, whose keys stay
 * what they are. Throws EngineError `VALIDATION_ERROR` on `file` for two columns of one name, no column with the
 * address, an address instead of its name, too many columns and too long a name, and on `columns` for what the caller
 * says about columns that are not there.
 */
export function columnsOf(
  header: readonly string[],
  given: GivenColumns = {},
  known: readonly NamedTopic[] = [],
): CsvColumns {
  if (isTooWide(header)) throw tooManyColumns()
  const ofExport = exportColumnsIn(header)
  const isExport = ofExport !== undefined
  const names = header.map((cell) => unguarded(cell) ?? (isExport ? cell : cell.trim()))
  refuseUnusable(names, isExport)
  const wanted = wantedOf(names, given)
  const own = ofExport ?? Number.POSITIVE_INFINITY
  const specials = new Map<Special, number>()
  for (const [index, name] of names.entries()) {
    const key = wanted.has(index) ? wanted.get(index)?.key : undefined
    const special = SPECIAL.find((each) => (key === undefined ? isNamed(each, name) : each === key))
    if (special === undefined || (key === undefined && (special === 'email' || index >= own))) continue
    if (specials.has(special)) throw twice('file', special)
    specials.set(special, index)
  }
  const others = isExport ? [] : addressColumns(names, wanted)
  const left = names.findIndex(
    (name, index) => index < (ofExport ?? 0) && name === LEFT_COLUMN && wanted.get(index)?.key !== null,
  )
  const email = specials.get('email') ?? (isExport ? names.indexOf('email') : others[0])
  if (email === undefined) throw noAddress(names)
  if (isAddress(names[email] ?? '')) throw noHeader(names[email] ?? '')
  const topics = topicColumns(
    names.map((name, index) => (wanted.get(index)?.key === undefined ? name : (wanted.get(index)?.key ?? ''))),
    known,
    new Set([...wanted].flatMap(([index, { key }]) => (key === TOPICS_COLUMN ? [index] : []))),
  )
  const isOfTopic = (index: number) => keyOfTopics(topics, index) !== undefined
  const data: CsvColumns['data'][number][] = []
  const statuses: StatusColumn[] = []
  const named: NamedColumn[] = []
  const skipped = isExport ? [...names.keys()].filter((index) => index < own) : []
  const reason = names.findIndex((name, index) => name === REASON_COLUMN && !wanted.has(index))
  const keys = keysOf(
    names,
    wanted,
    isExport,
    new Set([email, ...specials.values(), ...skipped, reason, ...[...names.keys()].filter(isOfTopic)]),
  )
  const unsettled = isExport ? [] : [...keys].map(([index, key]) => ({ index, key, name: names[index] ?? '' }))
  const usual = usualKeys(
    unsettled.filter(({ index, name }) => wanted.get(index)?.key === undefined && statusKind(name) === undefined),
    keys.values(),
  )
  for (const [index, name] of names.entries()) {
    if (name === '') continue
    const ofTopics = keyOfTopics(topics, index)
    if (ofTopics !== undefined) {
      const isText = index === topics.consent || [...topics.texts.values()].includes(index)
      const note = isText ? 'has the words that a contact agreed to' : 'says which topics a contact chose'
      named.push({ index, header: name, key: ofTopics, note })
      continue
    }
    const asked = wanted.get(index)
    const isLeftOut = asked?.key === null
    const special = index === email ? 'email' : SPECIAL.find((each) => specials.get(each) === index)
    const kind = isExport || special !== undefined ? undefined : statusKind(name)
    if (kind !== undefined && !isLeftOut) statuses.push({ index, kind, isGiven: asked?.key !== undefined })
    const isData = !isLeftOut && !(isExport && index < own)
    const key = special ?? (index === left ? LEFT_COLUMN : isData ? (keys.get(index) ?? null) : null)
    const isOwn = isExport && index < own
    const isReason = index === reason
    const column = { name, key, index, email, others, names, kind, isLeftOut, isOwn, isReason }
    const note = [noteOf(column), isLeftOut ? undefined : strayTopicNote(topics, name)].filter(
      (each) => each !== undefined,
    )
    const suggested = usual.get(index)
    named.push({
      index,
      header: name,
      key,
      ...(suggested && { usual: suggested }),
      ...(note.length === 0 ? {} : { note: note.join('; ') }),
    })
    if (special === undefined && key !== null && index !== left)
      data.push({ index, key, form: asked?.type && formOf(asked.type, asked.format) })
  }
  const told = new Set(statuses.map(({ index }) => index))
  const elsewhere = data.flatMap(({ index }) =>
    isExport || told.has(index) || isOfOtherChannel(names[index] ?? '') ? [] : [index],
  )
  return { isExport, count: header.length, email, fields: specials, statuses, elsewhere, left, topics, data, named }
}

/** Whether a column has the name of the field, in any case. */
function isNamed(field: Special, name: string): boolean {
  return field.toLowerCase() === name.toLowerCase()
}

function refuseUnusable(names: readonly string[], isExport: boolean): void {
  const seen = new Set<string>()
  for (const name of names) {
    if (name === '') continue
    if (name.length > DATA_LIMITS.keyLength) {
      const message = `has a column name of more than ${DATA_LIMITS.keyLength} characters`
      throw invalidField('file', 'too_big', message)
    }
    if (!isStorableText(name)) throw invalidField('file', 'custom', 'has a column name with a NUL character')
    const lower = name.toLowerCase()
    const known = !isExport && SPECIAL.some((each) => each === lower) ? lower : name
    if (seen.has(known)) throw twice('file', known)
    seen.add(known)
  }
}

function twice(field: 'file' | 'columns', name: string): EngineError {
  return invalidField(field, 'custom', `has more than one column ${JSON.stringify(name)}`)
}

/** Says what the header has instead of a column with the address. */
export function noAddress(names: readonly string[]): EngineError {
  const address = names.find(isAddress)
  if (address !== undefined) return noHeader(address)
  const listed = names.filter((name) => name !== '').slice(0, 20)
  const found = listed.length === 0 ? '' : ` (${listed.map((name) => JSON.stringify(name)).join(', ')})`
  const message = `has no column named "email" in its first row${found}; if another one holds the address, name it with columns={"its name":"email"}. It must be CSV, with commas, semicolons, tabs or | between`
  return invalidField('file', 'custom', message)
}

/** The first row would be taken for names of columns, and its contact would be lost. */
function noHeader(address: string): EngineError {
  const message = `has no names of columns in its first row, but an address (${JSON.stringify(address)}): put a row above it that names each column, such as email`
  return invalidField('file', 'custom', message)
}

function isAddress(name: string): boolean {
  return name.includes('@') && 'email' in addressIn(name)
}

/** The caller's wishes, by the column's place; a name is found in any case. */
function wantedOf(names: readonly string[], given: GivenColumns): ReadonlyMap<number, GivenColumn> {
  const wanted = new Map<number, GivenColumn>()
  const keys = new Set<string>()
  for (const [name, column] of Object.entries(given)) {
    const exact = names.indexOf(name.trim())
    const index = exact >= 0 ? exact : names.findIndex((each) => each.toLowerCase() === name.trim().toLowerCase())
    if (index < 0 || name.trim() === '') {
      const listed = names.filter((each) => each !== '').slice(0, 20)
      throw invalidField(
        'columns',
        'custom',
        `names a column ${JSON.stringify(name)} that is not in the file, which has ${listed.join(', ')}`,
      )
    }
    const { key } = column
    if (typeof key === 'string') {
      const isSpecial = SPECIAL.some((each) => each === key)
      if (RESERVED_KEYS.has(key) && !isSpecial) {
        throw invalidField(
          'columns',
          'custom',
          `gives ${JSON.stringify(name)} the key ${JSON.stringify(key)}, which has another meaning in templates`,
        )
      }
      // several columns may list topics
      if (keys.has(key) && key !== TOPICS_COLUMN) throw twice('columns', key)
      keys.add(key)
    }
    wanted.set(index, column)
  }
  return wanted
}

/** The columns that may hold the address, the surest first. */
function addressColumns(names: readonly string[], wanted: ReadonlyMap<number, GivenColumn>): readonly number[] {
  const ranked = names.flatMap((name, index) => {
    const rank = wanted.get(index)?.key === undefined ? addressRank(name) : undefined
    return rank === undefined ? [] : [{ index, rank }]
  })
  return ranked.sort((a, b) => a.rank - b.rank || a.index - b.index).map(({ index }) => index)
}

/** The keys of the data columns: those given, those that are usable as they are, then those made of names. */
function keysOf(
  names: readonly string[],
  wanted: ReadonlyMap<number, GivenColumn>,
  isExport: boolean,
  special: ReadonlySet<number>,
): ReadonlyMap<number, string> {
  const keys = new Map<number, string>()
  const taken = new Set<string>()
  const take = (index: number, key: string) => {
    keys.set(index, key)
    taken.add(key)
  }
  const left = names.flatMap((name, index) => (name === '' || special.has(index) ? [] : [{ name, index }]))
  for (const { index } of left) {
    const key = wanted.get(index)?.key
    if (typeof key === 'string') take(index, key)
  }
  const rest = left.filter(({ index }) => wanted.get(index)?.key === undefined)
  const made = rest.map(({ name, index }) => ({
    name,
    index,
    key: isExport ? keyOfColumn(name) : usableKey(name, index + 1),
  }))
  for (const isAsNamed of [true, false]) {
    for (const { name, index, key } of made) {
      if (isExport ? !isAsNamed : (key === name) !== isAsNamed) continue
      if (RESERVED_KEYS.has(key)) continue
      let free = key
      for (let n = 2; taken.has(free); n++) free = `${key}${n}`
      take(index, free)
    }
  }
  return keys
}

/** The note about a column that is not simply taken under its name. */
function noteOf(column: {
  readonly name: string
  readonly key: string | null
  readonly index: number
  readonly email: number
  readonly others: readonly number[]
  readonly names: readonly string[]
  readonly kind: StatusKind | undefined
  readonly isLeftOut: boolean
  readonly isOwn: boolean
  readonly isReason: boolean
}): string | undefined {
  const { name, key, index, email, others, names, kind, isLeftOut, isOwn, isReason } = column
  if (isReason) return 'left out: says why an earlier import refused the row'
  if (isLeftOut) return 'left out, as columns says'
  if (index === email) {
    const rivals = others.filter((each) => each !== email).map((each) => JSON.stringify(names[each]))
    if (rivals.length === 0) return undefined
    return `the addresses are taken from here and not from ${rivals.join(', ')}; columns={"its name":"email"} takes another one`
  }
  if (key === null) return isOwn ? 'not imported' : 'left out: this name has another meaning in templates'
  const said = [
    ...(key === name || isOwn || SPECIAL.some((each) => each === key) ? [] : [`printed by {{ ${key} }}`]),
    ...(kind === undefined ? [] : [WHAT_COUNTS[kind === 'state' || kind === 'sign' ? kind : 'other']]),
  ]
  return said.length === 0 ? undefined : said.join('; ')
}

const WHAT_COUNTS = {
  state: 'only words that clearly mean leaving count, such as unsubscribed or bounced',
  sign: 'new contacts of rows with no in it are not subscribed',
  other: 'says who is subscribed: contacts who left, bounced or have not confirmed are not',
}

/** The columns with the forms that were found, by their places. */
export function typed(columns: CsvColumns, forms: Readonly<Record<string, ColumnForm>>): CsvColumns {
  const data = columns.data.map((column) => ({ ...column, form: forms[column.index] ?? column.form }))
  return { ...columns, data }
}

/** Whether a cell is too long to be looked at. */
export function isLong(cell: string): boolean {
  return cell.length > MAX_CELL
}

/** Whether there are too many columns; unnamed ones at the end do not count. */
export function isTooWide(header: readonly string[]): boolean {
  return header.slice(MAX_COLUMNS).some((name) => name !== '')
}

export function tooManyColumns(): EngineError {
  return invalidField('file', 'too_big', `has more than ${MAX_COLUMNS} columns`)
}
