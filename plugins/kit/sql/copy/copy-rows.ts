/* SQL by hand: every table is copied by the same statements, in the order of its key. */
import { createHash } from 'node:crypto'
import type { Access, Database } from '../engine/access.ts'
import type { Sql } from '../engine/dialect.ts'
import type { Params } from '../engine/session.ts'
import type { Table } from '../engine/table.ts'

/**
 * All rows of a table after the record `after`, or those that meet the condition `only`, in primary-key order, a batch
 * at a time. The next batch is read while the caller works on one.
 */
export async function* batches(
  database: Readable,
  table: Table<object>,
  after: object | undefined,
  only?: Sql,
): AsyncGenerator<readonly object[]> {
  let reading = readBatch(database, table, after, only)
  for (;;) {
    const records = await reading
    if (records.length === 0) return
    reading = readBatch(database, table, records.at(-1), only)
    // the caller may fail with this batch before anyone asks for the next
    reading.catch(() => {})
    yield records
  }
}

/** The record with the greatest primary key; only its key is read. */
export async function lastOf(database: Database, table: Table<object>): Promise<object | undefined> {
  const down = table.key.map(({ name }) => `"${name}" desc`).join(', ')
  const sql = `select ${keyOf(table)} from ${table.name} order by ${down} limit 1`
  const [row] = await database.read((session) => session.all(sql, []))
  return row && table.record(row)
}

/** Whether the table has a row. */
export async function isThere(database: Database, table: Table<object>): Promise<boolean> {
  const rows = await database.read((session) => session.all(`select 1 as "one" from ${table.name} limit 1`, []))
  return rows.length > 0
}

/** How many rows the table has. */
export async function countOf(database: Database, table: Table<object>): Promise<number> {
  const [row] = await database.read((session) => session.all(`select count(*) as "rows" from ${table.name}`, []))
  return Number(row?.rows)
}

/** A summary of a whole database. */
export interface Survey {
  /** How many rows each table has, by its name. */
  readonly rows: ReadonlyMap<string, number>
  /** A hash that differs once a row was added, removed or changed: every change but a removal leaves its date. */
  readonly print: string
}

/** Counts the rows of all tables and finds their latest dates, in one pass over each. */
export async function survey(database: Database, tables: readonly Table<object>[]): Promise<Survey> {
  const rows = new Map<string, number>()
  const hash = createHash('sha256')
  for (const table of tables) {
    const dates = table.columns.filter(({ kind }) => kind === 'date').map(({ name }) => `max("${name}") as "${name}"`)
    const sql = `select ${['count(*) as "rows"', ...dates].join(', ')} from ${table.name}`
    const [row = {}] = await database.read((session) => session.all(sql, []))
    rows.set(table.name, Number(row.rows))
    hash.update(JSON.stringify([table.name, Object.entries(row)]))
    hash.update(JSON.stringify(await lastOf(database, table).then((last) => last ?? null)))
  }
  return { rows, print: hash.digest('hex').slice(0, 32) }
}

/** A database, or a transaction that sees it as it was at one moment. */
type Readable = Pick<Access, 'read' | 'dialect'>

async function readBatch(
  database: Readable,
  table: Table<object>,
  after: object | undefined,
  only: Sql | undefined,
): Promise<readonly object[]> {
  const { text, params } = behind(table, after, only)
  return database.read(async (session) => {
    const heavy = HEAVY[table.name]
    let limit = MAX_BATCH_ROWS
    if (heavy) {
      const size = heavy.map((name) => `coalesce(${database.dialect.octets(`"${name}"`)}, 0)`).join(' + ')
      const sizes = await session.all(`select ${size} as "size" from ${table.name} ${text}`, [
        ...params,
        MAX_BATCH_ROWS,
      ])
      limit = within(sizes.map((row) => Number(row.size)))
    }
    const rows = await session.all(`select ${table.list} from ${table.name} ${text}`, [...params, limit])
    return rows.map((row) => table.record(row))
  })
}

/**
 * The end of a select for the rows after this record that meet a condition. Its last parameter is the limit.
 */
function behind(table: Table<object>, after: object | undefined, only: Sql | undefined): Sql {
  const key = keyOf(table)
  const conditions: Sql[] = only ? [only] : []
  if (after !== undefined) {
    const fields: Readonly<Record<string, unknown>> = { ...after }
    const params = table.key.map(({ property, encode }) => encode(fields[property]))
    conditions.push({ text: `(${key}) > (${params.map(() => '?').join(', ')})`, params })
  }
  const where = conditions.length === 0 ? '' : `where ${conditions.map(({ text }) => text).join(' and ')} `
  return { text: `${where}order by ${key} limit ?`, params: conditions.flatMap(({ params }): Params => params) }
}

function keyOf({ key }: Table<object>): string {
  return key.map(({ name }) => `"${name}"`).join(', ')
}

/** How many of the rows fit into MAX_BATCH_BYTES, one at least. */
function within(sizes: readonly number[]): number {
  let sum = 0
  const over = sizes.findIndex((size) => {
    sum += size
    return sum > MAX_BATCH_BYTES
  })
  return over === -1 ? MAX_BATCH_ROWS : Math.max(over, 1)
}

/** The most rows in a batch. */
const MAX_BATCH_ROWS = 1000

/** The most bytes of large columns in a batch. */
const MAX_BATCH_BYTES = 8 * 1024 * 1024

/** The columns that may hold megabytes, by table. */
const HEAVY: Readonly<Record<string, readonly string[]>> = {
  '"mail_contents"': ['html', 'text'],
  '"mail_attachments"': ['bytes'],
  '"campaign_attachments"': ['bytes'],
  '"idempotency_answers"': ['answer'],
  '"templates"': ['body'],
  '"snippets"': ['body'],
  '"layouts"': ['body'],
  '"webhook_deliveries"': ['body', 'response_body'],
  '"contact_job_files"': ['bytes'],
  '"contact_job_refusals"': ['bytes'],
  '"inbound_messages"': ['raw'],
}
