import { EngineError } from '../../../../core/errors.ts'
import { isId } from '../../../../core/values/id.ts'
import { isJsonObject, type Json } from '../../../../core/values/json.ts'
import type { Column, Table } from '../engine/table.ts'

/** The record as one line of JSON: dates in ISO 8601, bytes in Base64; what is missing is left out. */
export function lineOf(table: Table<object>, record: object): string {
  const fields = record as Readonly<Record<string, unknown>>
  const line: Record<string, unknown> = {}
  for (const { property, kind } of table.columns) {
    const value = fields[property]
    if (value === undefined || value === null) continue
    line[property] = kind === 'bytes' ? Buffer.from(value as Uint8Array).toString('base64') : value
  }
  return `${JSON.stringify(line)}\n`
}

/** The record of a line, which has the `needed` properties. Throws EngineError `CONFIG_INVALID`, which names the field. */
export function recordOf(table: Table<object>, needed: readonly string[], text: string): object {
  const line = parsed(text)
  const record: Record<string, unknown> = {}
  const known = new Map(table.columns.map((column) => [column.property, column]))
  for (const [property, value] of Object.entries(line)) {
    const column = known.get(property)
    if (column === undefined) throw wrong(`has the field ${property.slice(0, 100)}, which this version does not know`)
    if (value !== null) record[property] = readValue(column, value)
  }
  for (const property of needed) if (record[property] === undefined) throw wrong(`has no ${property}`)
  return record
}

function parsed(text: string): Readonly<Record<string, Json>> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw wrong('is no JSON')
  }
  if (isJsonObject(value)) return value
  throw wrong('is no JSON object')
}

function readValue(column: Column, value: Json): unknown {
  const read = READ[column.kind](value, column)
  if (read !== undefined) return read
  throw wrong(`has a wrong ${column.property}: it must be ${MUST_BE[column.kind]}`)
}

type Read = (value: Json, column: Column) => unknown

const READ: Readonly<Record<Column['kind'], Read>> = {
  uuid: (value) => (typeof value === 'string' && isId(value) ? value : undefined),
  text: (value) => (typeof value === 'string' && !value.includes('\0') ? value : undefined),
  json: (value) => value,
  date: (value) => (typeof value === 'string' && MOMENT.test(value) ? dateOf(value) : undefined),
  boolean: (value) => (typeof value === 'boolean' ? value : undefined),
  integer: wholeNumber,
  bytes: (value) => (typeof value === 'string' && isBase64(value) ? Buffer.from(value, 'base64') : undefined),
}

const MUST_BE: Readonly<Record<Column['kind'], string>> = {
  uuid: 'an id',
  text: 'a text without NUL',
  json: 'JSON',
  date: 'a date such as 2026-01-31T12:00:00.000Z',
  boolean: 'true or false',
  integer: 'a whole number, or one of the words that stand for one',
  bytes: 'Base64',
}

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/

function dateOf(text: string): Date | undefined {
  const date = new Date(text)
  return Number.isNaN(date.getTime()) ? undefined : date
}

/** A number, or a word that is stored as one. */
function wholeNumber(value: Json, { encode, decode }: Column): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : undefined
  return typeof value === 'string' && encode(value) !== value && decode(encode(value)) === value ? value : undefined
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)
}

function wrong(message: string): EngineError {
  return new EngineError('CONFIG_INVALID', message)
}
