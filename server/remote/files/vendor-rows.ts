import { valueInCell } from '../../../core/contacts/csv-cells.ts'
import { BrokenCsv, formOf, recordsOf, requireLetters } from '../../../core/contacts/csv-file.ts'
import { plainName } from '../../../core/contacts/csv-names.ts'
import { standingOf } from '../../../core/contacts/csv-status.ts'
import type { Encoding } from '../../../core/contacts/csv-text.ts'
import { EngineError } from '../../../core/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/values/json.ts'
import { RemoteProblem } from '../problem.ts'
import type { Standing, Vendor } from './vendors.ts'

/** A person in a file of another service. */
export interface VendorRow {
  readonly kind: 'person'
  readonly email: string
  readonly standing: Standing
  /** Whether the column of the permission says no. */
  readonly isRefused: boolean
  readonly data: JsonObject
  readonly groups: readonly string[]
}

/** A row that cannot be read, and why. */
interface WrongRow {
  readonly kind: 'wrong'
  readonly what: string
  readonly problem: string
}

/** The options that say what a file does not say itself. */
export interface Reading {
  /** The state of all in files that have no column for it. */
  readonly status?: Standing | undefined
  /** Further columns that list groups. */
  readonly groups: readonly string[]
  /** A column that says who agreed. */
  readonly permission?: string | undefined
  /** The encoding of CSV files, where it is not detected. */
  readonly encoding?: Encoding | undefined
}

/** A file, and how it is called. */
export interface NamedFile {
  readonly name: string
  readonly bytes: Uint8Array
}

/** How a file says the state of people, in the order in which files are read: who left counts. */
export interface Known {
  readonly file: NamedFile
  readonly standing: Standing | undefined
  rows(): AsyncGenerator<VendorRow | WrongRow>
}

/**
 * Looks at the header of a file. Throws RemoteProblem when it is none of this service, does not say who is subscribed, or
 * lacks a column that was named.
 */
export function knownFile(vendor: Vendor, file: NamedFile, reading: Reading): Known {
  const { header, form } = formIn(vendor, file, reading.encoding)
  const plain = header.map(plainName)
  const at = (names: readonly string[] = []) => plain.findIndex((name) => names.includes(name))
  const email = first(plain, vendor.email)
  if (email < 0) {
    throw wrong(
      file,
      `it has no column of the address, which ${vendor.name} calls ${vendor.email[0]}; it has ${shown(header)}`,
    )
  }
  const named = (name: string, option: string) => {
    const index = header.findIndex((each) => each.trim().toLowerCase() === name.trim().toLowerCase())
    if (index < 0) throw wrong(file, `it has no column ${name}, which ${option} names; it has ${shown(header)}`)
    return index
  }
  const groups = [
    ...reading.groups.map((name) => named(name, '--groups')),
    ...plain.flatMap((name, i) => (vendor.groups.includes(name) ? [i] : [])),
  ]
  const permission = reading.permission === undefined ? -1 : named(reading.permission, '--permission')
  const [status, blocked] = [first(plain, vendor.status), at(vendor.blocked)]
  const standing = status < 0 && blocked < 0 ? (ofFile(vendor, file.name, plain) ?? reading.status) : undefined
  if (status < 0 && blocked < 0 && standing === undefined)
    throw wrong(file, `it does not say who is subscribed: ${vendor.advice}`)
  const places: Places = { header, plain, email, groups, permission, status, blocked, standing }
  return { file, standing, rows: () => rowsOf(vendor, file, form, places) }
}

function formIn(vendor: Vendor, file: NamedFile, named: Encoding | undefined) {
  const rank = (name: string) => {
    const at = vendor.email.indexOf(plainName(name))
    return at < 0 ? undefined : at
  }
  try {
    const found = formOf(file.bytes, rank, named)
    requireLetters(file.bytes, found.form.encoding, named)
    return found
  } catch (error) {
    if (!EngineError.is(error)) throw error
    throw wrong(file, error.message.replace(/^file: /, 'it '))
  }
}

interface Places {
  readonly header: readonly string[]
  readonly plain: readonly string[]
  readonly email: number
  readonly groups: readonly number[]
  readonly permission: number
  readonly status: number
  readonly blocked: number
  readonly standing: Standing | undefined
}

async function* rowsOf(
  vendor: Vendor,
  file: NamedFile,
  form: ReturnType<typeof formOf>['form'],
  places: Places,
): AsyncGenerator<VendorRow | WrongRow> {
  let row = 0
  try {
    for await (const cells of recordsOf(file.bytes, form)) {
      row++
      if (row > 1 && cells.some((cell) => cell !== '')) yield readRow(vendor, places, cells, `${file.name}, row ${row}`)
    }
  } catch (error) {
    if (!(error instanceof BrokenCsv)) throw error
    yield { kind: 'wrong', what: `${file.name}, from row ${error.row} on`, problem: error.problem }
  }
}

function readRow(vendor: Vendor, places: Places, cells: readonly string[], where: string): VendorRow | WrongRow {
  const cell = (index: number) => (index < 0 ? '' : (cells[index] ?? '').trim())
  const email = cell(places.email)
  if (email === '') return { kind: 'wrong', what: where, problem: 'it has no address' }
  const what = `${where} (${email.slice(0, 100)})`
  const standing = standingIn(vendor, places, cell)
  if (standing === undefined) {
    const problem = `${vendor.name} writes no status "${cell(places.status).slice(0, 50)}": one of ${Object.keys(vendor.words).join(', ')}`
    return { kind: 'wrong', what, problem }
  }
  const data = dataIn(vendor, places, cell)
  if (data === undefined) return { kind: 'wrong', what, problem: `its ${vendor.json} is no object in JSON` }
  const groups = places.groups.flatMap((index) => listed(cell(index))).map((name) => vendor.groupName?.(name) ?? name)
  const isRefused = places.permission >= 0 && !agrees(cell(places.permission))
  return { kind: 'person', email, standing, isRefused, data, groups: [...new Set(groups)] }
}

/** A cell that blocks counts more than a word that subscribes. */
function standingIn(vendor: Vendor, places: Places, cell: (index: number) => string): Standing | undefined {
  const { status, blocked, standing } = places
  if (standing !== undefined) return standing
  const word = plainName(cell(status))
  const said = status >= 0 && Object.hasOwn(vendor.words, word) ? vendor.words[word] : undefined
  if (status >= 0 && word !== '' && said === undefined) return undefined
  const isBlocked = blocked >= 0 && standingOf('left', cell(blocked)) === 'left'
  if (isBlocked) return said === 'bounced' || said === 'complained' ? said : 'unsubscribed'
  if (said !== undefined) return said
  // an empty status says nothing, and so subscribes no one
  return blocked >= 0 ? 'subscribed' : 'unconfirmed'
}

function dataIn(vendor: Vendor, places: Places, cell: (index: number) => string): JsonObject | undefined {
  const data: Record<string, Json> = {}
  for (const [index, name] of places.plain.entries()) {
    const text = cell(index)
    if (text === '' || isElsewhere(vendor, places, index, name)) continue
    if (name === vendor.json) {
      const own = objectIn(text)
      if (own === undefined) return undefined
      Object.assign(data, own)
    } else if (name === vendor.tags) data[vendor.tags] = [...listed(text)]
    else {
      const key = Object.hasOwn(vendor.keys, name) ? vendor.keys[name] : places.header[index]?.trim()
      data[key ?? ''] = valueInCell(text, false)
    }
  }
  return data
}

function isElsewhere(vendor: Vendor, { email, status, blocked, groups }: Places, index: number, name: string): boolean {
  return [email, status, blocked, ...groups].includes(index) || name === '' || vendor.ignored.includes(name)
}

function objectIn(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return value === null ? {} : isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The names in a list: `News, Food\, drink`, `"vip","2024"`, `[5,7]`. */
function listed(text: string): readonly string[] {
  const inside = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text
  const names = inside.split(/(?<!\\)[,;|]/).map((name) => name.trim().replaceAll('\\,', ','))
  return names
    .map((name) => (name.length > 1 && name.startsWith('"') && name.endsWith('"') ? name.slice(1, -1) : name))
    .filter((name) => name !== '')
}

/** Whether a cell agrees: yes, a date, or a list of permissions among which is e-mail. */
function agrees(text: string): boolean {
  const standing = standingOf('consent', text)
  if (standing === 'in' || standing === 'left') return standing === 'in'
  return listed(text).some((name) => plainName(name).includes('email'))
}

/** The state that a file says of all in it, by its name or by a column that only such files have. */
function ofFile({ files = [], marks = {} }: Vendor, name: string, plain: readonly string[]): Standing | undefined {
  const base = (name.split(/[\\/]/).at(-1) ?? '').toLowerCase()
  const byName = files.find(([start]) => base.startsWith(start))?.[1]
  const byColumn = Object.entries(marks).find(([column]) => plain.includes(column))?.[1]
  // a file of those who left that was given another name
  return byColumn !== undefined && byColumn !== 'subscribed' ? byColumn : (byName ?? byColumn)
}

function first(plain: readonly string[], names: readonly string[]): number {
  const found = names.find((name) => plain.includes(name))
  return found === undefined ? -1 : plain.indexOf(found)
}

function shown(header: readonly string[]): string {
  return header
    .slice(0, 20)
    .map((name) => `"${name.slice(0, 40)}"`)
    .join(', ')
}

function wrong({ name }: NamedFile, problem: string): RemoteProblem {
  return new RemoteProblem(`${name}: ${problem}. Nothing was brought over.`, 1)
}
