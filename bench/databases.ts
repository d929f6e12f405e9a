import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import type { Plugin } from '../core/plugin/types.ts'
import { postgresQueue } from '../plugins/queue-postgres/index.ts'
import { postgres } from '../plugins/store-postgres/index.ts'
import { sqlite } from '../plugins/store-sqlite/index.ts'
import { startPostgres } from '../test/support/postgres.ts'

export type BenchStore = 'SQLite' | 'PostgreSQL'

/** A new, empty database. */
export interface BenchDatabase {
  readonly on: BenchStore
  /** The store in a server's configuration file. */
  readonly config: object
  readonly plugins: { readonly store: Plugin<'store'>; readonly queue?: Plugin<'queue'> }
  /** How this database writes what a bench needs to make rows out of numbers. */
  readonly sql: BenchSql
  /** Runs statements one after the other, on one connection. */
  run(statements: Iterable<string>): Promise<void>
  /** Does what the database does automatically some minutes after many rows were written. */
  settle(): Promise<void>
  /** Gives back the space of dead rows and half-empty pages. No one else may be at work. */
  pack(): Promise<void>
  /** The bytes of each table and each index. */
  sizes(): Promise<ReadonlyMap<string, number>>
}

/** SQL made of SQL. */
interface BenchSql {
  /** A table `n` with a column `i`: whole numbers from the first up to, not including, the last. */
  numbers(from: number, to: number): string
  /** A UUIDv7 of a moment (milliseconds) and a number. */
  id(moment: string, number: string): string
  /** The moment of so many milliseconds, as the store writes it. */
  moment(milliseconds: string): string
  /** This text as the store writes JSON. */
  json(text: string): string
  /** This text as an id. */
  uuid(text: string): string
}

/**
 * Gives `work` a way to make databases, and removes them afterwards: files on disk, or databases of a PostgreSQL on this
 * machine with `fsync` on and its default memory.
 */
export async function onDatabases<T>(
  on: BenchStore,
  work: (make: () => Promise<BenchDatabase>) => Promise<T>,
): Promise<T> {
  if (on === 'PostgreSQL') {
    const server = await startPostgres({ own: true, durable: true })
    try {
      return await work(async () => ofPostgres(await server.database()))
    } finally {
      await server.stop()
    }
  }
  const folder = mkdtempSync(join(tmpdir(), 'mailwright-bench-'))
  let files = 0
  try {
    return await work(async () => ofSqlite(join(folder, `bench-${files++}.db`)))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function ofSqlite(file: string): BenchDatabase {
  return {
    on: 'SQLite',
    config: { use: 'sqlite', options: { file } },
    plugins: { store: sqlite({ file }) },
    sql: {
      numbers: (from, to) =>
        `(with recursive n(i) as (select ${from} union all select i + 1 from n where i + 1 < ${to}) select i from n) as n`,
      id: (moment, number) => `printf('%08x-%04x-7000-8000-%012x', (${moment}) >> 16, (${moment}) & 65535, ${number})`,
      moment: (milliseconds) => milliseconds,
      json: (text) => text,
      uuid: (text) => text,
    },
    run: async (statements) => exec(file, statements),
    settle: () => Promise.resolve(),
    pack: async () => exec(file, ['vacuum']),
    sizes: async () => {
      const database = new DatabaseSync(file)
      const rows = database.prepare('select "name", sum("pgsize") as "bytes" from "dbstat" group by "name"').all()
      database.close()
      return new Map(rows.map(({ name, bytes }) => [String(name), Number(bytes)]))
    },
  }
}

function exec(file: string, statements: Iterable<string>): void {
  const database = new DatabaseSync(file)
  database.exec('pragma journal_mode = memory; pragma synchronous = off; pragma cache_size = -3000000')
  for (const statement of statements) database.exec(statement)
  database.close()
}

function ofPostgres(url: string): BenchDatabase {
  const run = async (statements: Iterable<string>) => {
    const client = new Client({ connectionString: url })
    await client.connect()
    for (const statement of statements) await client.query(statement)
    await client.end()
  }
  const hex = (number: string, digits: number) => `lpad(to_hex((${number})::bigint), ${digits}, '0')`
  return {
    on: 'PostgreSQL',
    config: { use: 'postgres', options: { url } },
    plugins: { store: postgres({ url }), queue: postgresQueue({ url }) },
    sql: {
      numbers: (from, to) => `generate_series(${from}::bigint, ${to - 1}::bigint) as n(i)`,
      id: (moment, number) => `(${hex(moment, 12)} || '70008000' || ${hex(number, 12)})::uuid`,
      moment: (milliseconds) => `to_timestamp((${milliseconds}) / 1000.0)`,
      json: (text) => `(${text})::jsonb`,
      uuid: (text) => `(${text})::uuid`,
    },
    run,
    settle: () => run(['vacuum (analyze)']),
    pack: () => run(['vacuum full']),
    sizes: async () => {
      const client = new Client({ connectionString: url })
      await client.connect()
      const { rows } = await client.query(SIZES)
      await client.end()
      return new Map(rows.map(({ name, bytes }) => [String(name), Number(bytes)]))
    },
  }
}

/** Of a table with what it keeps apart, since it is long. */
const SIZES = `select c."relname" as "name",
    case when c."relkind" = 'i' then pg_relation_size(c."oid") else pg_table_size(c."oid") end as "bytes"
  from pg_class as c join pg_namespace as n on n."oid" = c."relnamespace"
  where n."nspname" like 'mailwright%' and c."relkind" in ('r', 'i')`
