import type { BulkInsert, Dialect, GivenColumn, Kind } from '../kit/sql/engine/dialect.ts'
import { isLostMeeting, isTaken, isUnavailable } from './postgres-error.ts'
import { postgresHasPart, postgresValueTest } from './postgres-value-test.ts'

/**
 * How PostgreSQL keeps and says what the kit needs. `lower` is the collation whose rules for lower case are those of
 * JavaScript. Rows come from the driver as text; this is the one place that reads it.
 */
export function postgresDialect(lower: string): Dialect {
  return {
    encode: (kind) => ENCODE[kind] ?? plain,
    decode: (kind) => DECODE[kind] ?? plain,

    listed: (kind) => `= any(?::${TYPES[kind]}[])`,
    list: (values) => arrayText(values, quoted),
    given: (columns) => `(select * from ${unnested(columns)})`,
    givenParams: arrays,
    insert: insertOf,
    insertShort: insertOf,

    contains: (expression) => `strpos(lower(${expression}${lower}), ?) > 0`,
    includes: (expression) => `strpos(${expression}, ?) > 0`,

    at: (json) => ({
      exists: `jsonb_exists(${json}, ?)`,
      isScalar: `jsonb_typeof(${json} -> ?::text) in ('string', 'number', 'boolean')`,
      value: `(${json} -> ?::text)::text`,
      without: `${json} - ?::text`,
    }),
    keyPath: (key) => key,

    hasPart: postgresHasPart,
    valueTest: postgresValueTest((values) => arrayText(values, quoted)),

    // no index knows this condition
    unindexed: (column) => `${column} is not distinct from ?`,
    // it counts what the tables hold
    byIndex: (table, _index, alias) => `"${table}"${alias ? ` as ${alias}` : ''}`,
    lockRows: (table) => ` for update of ${table}`,
    keepRows: (table) => ` for key share of ${table}`,
    // an array is asked for once; a join might ask again and find rows that are held by now
    free: (table, condition) =>
      `"id" = any(array(select "id" from ${table} where ${condition} for update skip locked))`,
    firstFree: (table, condition, order) =>
      `"id" = any(array(select "id" from ${table} where ${condition} order by ${order} limit ?
        for update skip locked))`,

    isTaken,
    isConflict: (error) => isTaken(error) || isLostMeeting(error),
    isUnavailable,
  }
}

const TYPES: Readonly<Record<Kind, string>> = {
  uuid: 'uuid',
  text: 'text',
  json: 'jsonb',
  date: 'timestamptz',
  boolean: 'boolean',
  integer: 'integer',
  bytes: 'bytea',
}

type Convert = (value: unknown) => unknown

const plain: Convert = (value) => value ?? null

const ENCODE: Partial<Record<Kind, Convert>> = {
  json: (value) => (value === undefined ? null : JSON.stringify(value)),
  // years beyond 9999 come with a sign that PostgreSQL does not know
  date: (value) => (value instanceof Date ? value.toISOString().replace(/^\+/, '') : null),
}

const DECODE: Partial<Record<Kind, Convert>> = {
  json: (value) => JSON.parse(String(value)),
  date: (value) => dateOf(String(value)),
  boolean: (value) => value === 't',
  integer: Number,
  bytes: (value) => new Uint8Array(Buffer.from(String(value).slice(2), 'hex')),
}

function insertOf(table: string, columns: readonly GivenColumn[], onConflict: string): BulkInsert {
  return {
    sql: `insert into ${table} (${names(columns)}) select * from ${unnested(columns)} ${onConflict}`,
    executions: (rows) => [arrays(columns, rows)],
  }
}

/** Reads `2025-06-01 12:00:00.123+00`: sessions are in UTC. */
function dateOf(text: string): Date {
  const [day = '', time = ''] = text.split(' ')
  const year = day.indexOf('-') > 4 ? `+${day.padStart(12, '0')}` : day
  return new Date(`${year}T${time.replace('+00', '')}Z`)
}

function names(columns: readonly GivenColumn[]): string {
  return columns.map(({ name }) => `"${name}"`).join(', ')
}

function unnested(columns: readonly GivenColumn[]): string {
  return `unnest(${columns.map(({ kind }) => `?::${TYPES[kind]}[]`).join(', ')}) as g(${names(columns)})`
}

/** The values of each column as one array. */
function arrays(columns: readonly GivenColumn[], rows: readonly (readonly unknown[])[]): unknown[] {
  return columns.map(({ kind }, i) => {
    const element = ELEMENTS[kind] ?? String
    return arrayText(
      rows.map((row) => row[i]),
      element,
    )
  })
}

/** PostgreSQL's text form of an array (section 8.15.6 of its manual). */
function arrayText(values: readonly unknown[], element: (value: unknown) => string): string {
  let text = '{'
  for (const [i, value] of values.entries()) {
    if (i > 0) text += ','
    text += value === null || value === undefined ? 'NULL' : element(value)
  }
  return `${text}}`
}

/** What may hold a comma, a quote or a brace stands in quotes; the other kinds cannot. */
const ELEMENTS: Partial<Record<Kind, (value: unknown) => string>> = {
  text: quoted,
  json: quoted,
  bytes: (value) => (value instanceof Uint8Array ? `"\\\\x${hexOf(value)}"` : 'NULL'),
}

function quoted(value: unknown): string {
  const text = String(value)
  return `"${/["\\]/.test(text) ? text.replace(/["\\]/g, '\\$&') : text}"`
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}
