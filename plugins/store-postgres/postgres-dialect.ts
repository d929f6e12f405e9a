import type { BulkInsert, Dialect, GivenColumn, Kind } from '../kit/sql/engine/dialect.ts'
import { isLostRace, isTaken, isUnavailable } from './postgres-error.ts'
import { postgresHasPart, postgresValueTest } from './postgres-value-sql.ts'
import { LISTED } from './statements.ts'

/** How many of the newest mails that fit are ranked. */
const RANKED = 1_000

/**
 * PostgreSQL's dialect. `lower` is the collation with JavaScript's rules for lower case. The driver answers rows as
 * text, which is read only here.
 */
export function postgresDialect(lower: string): Dialect {
  return {
    encode: (kind) => ENCODE[kind] ?? plain,
    decode: (kind) => DECODE[kind] ?? plain,
    // the driver takes and gives texts, whole
    packed: async (text) => text,
    unpacked: async (value) => value,
    octets: (column) => `octet_length(${column})`,

    listed: (kind) => `${LISTED}${TYPES[kind]}[])`,
    list: (values) => arrayText(values, quoted),
    // joined any other way, it might go through all rows of the project while its statistics are old; `offset 0` keeps
    // the two apart
    eachOf: (table) => `(select f.* from
      (select ?::uuid as "project_id", g."email" from unnest(?::text[]) as g("email")) as e
      cross join lateral (select * from ${table} where "project_id" = e."project_id" and "email" = e."email" offset 0) as f)`,
    given,
    givenParams: arrays,
    insert: insertOf,
    insertShort: insertOf,
    insertAlike: (table, columns, same, onConflict) => ({
      sql: `insert into ${table} (${names([...same, ...columns])}) select * from ${given(columns, same)} as given ${onConflict}`,
      executions: (rows, values = []) => [[...values, ...arrays(columns, rows)]],
    }),

    contains: (expression) => `strpos(lower(${expression}${lower}), ?) > 0`,
    includes: (expression) => `strpos(${expression}, ?) > 0`,

    at: (json) => ({
      exists: `jsonb_exists(${json}, ?)`,
      without: `${json} - ?::text`,
    }),
    valuesAt: (json) => ({
      from: `jsonb_array_elements(case jsonb_typeof(${json} -> ?::text) when 'array' then ${json} -> ?::text
        else jsonb_build_array(${json} -> ?::text) end) as e("value")`,
      isScalar: `jsonb_typeof(e."value") in ('string', 'number', 'boolean')`,
      value: 'e."value"::text',
    }),
    keyPath: (key) => key,

    appended: (array, value, most) => `case when ${value} is null then ${array}
      else case when jsonb_array_length(${array}) >= ${most} then ${array} - 0 else coalesce(${array}, '[]') end
        || jsonb_build_array(${value}) end`,

    hasPart: postgresHasPart,
    valueTest: postgresValueTest((values) => arrayText(values, quoted)),

    quarterOf: (column) => `floor(extract(epoch from ${column}) / 900)::integer`,

    // no index has this condition
    unindexed: (column) => `${column} is not distinct from ?`,
    // it chooses indexes by its own statistics
    byIndex: (table, _index, alias) => `"${table}"${alias ? ` as ${alias}` : ''}`,
    lockRows: (table) => ` for update of ${table}`,
    keepRows: (table) => ` for key share of ${table}`,
    // an array is computed once; a join might read again and find rows that are locked by now
    free: (table, condition) =>
      `"id" = any(array(select "id" from ${table} where ${condition} for update skip locked))`,
    firstFree: (table, condition, order) =>
      `"id" = any(array(select "id" from ${table} where ${condition} order by ${order} limit ?
        for update skip locked))`,

    searchMails: (terms, scopes) => {
      // words have letters and digits alone
      const phrases = terms.map(({ words, isBeginning }) =>
        words.map((word, i) => `'${word}':${isBeginning && i === words.length - 1 ? '*' : ''}ABC`).join(' <-> '),
      )
      const either = scopes.map((scope) => `'${scope}':D`).join(' | ')
      const text = `select r."email_id", ts_rank('{0, 0.1, 0.4, 1}', r."words", to_tsquery('simple', ?)) as "score" from (
          select "email_id", "words" from "mail_search" where "words" @@ to_tsquery('simple', ?)
          order by "email_id" desc limit ${RANKED}) as r`
      const wanted = phrases.map((phrase) => `(${phrase})`).join(' & ')
      return { text, params: [wanted, `(${either}) & ${wanted}`] }
    },
    isSearched: (emailId) => `exists (select 1 from "mail_search" as i where i."email_id" = ${emailId})`,
    forgetWords: undefined,

    snapshot: 'set transaction isolation level repeatable read',

    // as in the triggers
    counterSlot: 'pg_backend_pid() % 256',
    countsContacts: true,

    partsOfRewrite: 4,
    // others have connections of their own
    strides: { mails: Number.POSITIVE_INFINITY, events: Number.POSITIVE_INFINITY },

    databaseBytes: 'pg_database_size(current_database())',

    isTaken,
    isConflict: (error) => isTaken(error) || isLostRace(error),
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
  // years after 9999 have a sign that PostgreSQL does not read
  date: (value) => (value instanceof Date ? value.toISOString().replace(/^\+/, '') : null),
}

const DECODE: Partial<Record<Kind, Convert>> = {
  json: (value) => JSON.parse(String(value)),
  date: (value) => dateOf(String(value)),
  boolean: (value) => value === 't',
  integer: Number,
  bytes: (value) => bytesOf(String(value)),
}

/** Reads `\\x` and hexadecimal digits into memory of their own, which may go to another thread. */
function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array((text.length - 2) / 2)
  Buffer.from(bytes.buffer).write(text.slice(2), 'hex')
  return bytes
}

function insertOf(table: string, columns: readonly GivenColumn[], onConflict: string): BulkInsert {
  return {
    sql: `insert into ${table} (${names(columns)}) select * from ${unnested(columns)} ${onConflict}`,
    executions: (rows) => [arrays(columns, rows)],
  }
}

/** Reads `2025-06-01 12:00:00.123+00`, since sessions are in UTC. */
function dateOf(text: string): Date {
  const [day = '', time = ''] = text.split(' ')
  const year = day.indexOf('-') > 4 ? `+${day.padStart(12, '0')}` : day
  return new Date(`${year}T${time.replace('+00', '')}Z`)
}

function given(columns: readonly GivenColumn[], same: readonly GivenColumn[] = []): string {
  const shared = same.map(({ name, kind }) => `?::${TYPES[kind]} as "${name}"`)
  return `(select ${[...shared, 'g.*'].join(', ')} from ${unnested(columns)})`
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
    const values = rows.map((row) => row[i])
    return kind === 'bytes' ? bytesArray(values) : arrayText(values, ELEMENTS[kind] ?? String)
  })
}

/**
 * The binary form of a `bytea[]`, which the driver sends as it is: as text, files of megabytes would be there three times, twice as
 * large. After a header (dimensions, whether some are NULL, the type of an element, how many, the first index) each
 * element has its length before it, -1 for NULL (array_recv in PostgreSQL's arrayfuncs.c).
 */
function bytesArray(values: readonly unknown[]): Buffer {
  const elements = values.map((value) => (value instanceof Uint8Array ? value : undefined))
  const size = elements.reduce((sum, bytes) => sum + 4 + (bytes?.length ?? 0), 20)
  const array = Buffer.alloc(size)
  for (const [i, word] of [1, elements.includes(undefined) ? 1 : 0, BYTEA, elements.length, 1].entries()) {
    array.writeInt32BE(word, 4 * i)
  }
  let at = 20
  for (const bytes of elements) {
    at = array.writeInt32BE(bytes?.length ?? -1, at)
    if (bytes === undefined) continue
    array.set(bytes, at)
    at += bytes.length
  }
  return array
}

/** The number of the type `bytea` (pg_type.dat). */
const BYTEA = 17

/** PostgreSQL's text form of an array (section 8.15.6 of its manual). */
function arrayText(values: readonly unknown[], element: (value: unknown) => string): string {
  let text = '{'
  for (const [i, value] of values.entries()) {
    if (i > 0) text += ','
    text += value === null || value === undefined ? 'NULL' : element(value)
  }
  return `${text}}`
}

/** Kinds whose text may contain a comma, a quote or a brace are quoted; the others cannot contain any. */
const ELEMENTS: Partial<Record<Kind, (value: unknown) => string>> = {
  text: quoted,
  // JSON text has no line ends and no such signs as they are, so that only quotes and backslashes are escaped again
  json: (value) => JSON.stringify(String(value)),
}

function quoted(value: unknown): string {
  const text = String(value)
  return `"${/["\\]/.test(text) ? text.replace(/["\\]/g, '\\$&') : text}"`
}
