import { inflateRawSync } from 'node:zlib'
import { Migrator } from '@mikro-orm/migrations'
import { MikroORM } from '@mikro-orm/sqlite'
import { type Log, silentLog } from '../../core/ports/log.ts'
import { renamings } from '../kit/sql/engine/known-names.ts'
import {
  bringUp,
  isBehind,
  MIGRATIONS,
  type MigrateOptions,
  migrationSettings,
  notBroughtUp,
} from '../kit/sql/engine/migrate.ts'
import { migrations } from './migrations/all.ts'
import { WHOLE_SCHEMA } from './migrations/whole-schema.ts'
import { MEMORY } from './open-file.ts'
import type { SqliteClient } from './sqlite-client.ts'

/** As `migrate`. An empty database gets at once what the migrations would make of it, which takes a tenth of their time. */
export async function migrateFile(client: SqliteClient, path: string, options: MigrateOptions = {}): Promise<boolean> {
  if (client.prepare('select 1 from sqlite_schema limit 1').all([]).length === 0) {
    // while a migration is being written, it is not yet part of it
    const isWhole = WHOLE_SCHEMA.last === migrations.at(-1)?.name
    makeWhole(
      client,
      isWhole
        ? inflateRawSync(Buffer.from(WHOLE_SCHEMA.packed, 'base64')).toString()
        : await withOrm(MEMORY, schemaByMigrations),
    )
    return true
  }
  const names = executedIn(client)
  const isOlder = isBehind(names, migrations, options)
  const renamed = renamings(MIGRATIONS, names, migrations)
  if (renamed.length > 0) client.exec(['begin immediate', ...renamed, 'commit'].join('; '))
  if (isOlder) {
    foretell(client, options.log ?? silentLog)
    await withOrm(path, (orm) => bringUp(orm, options))
  }
  return names.length === 0
}

/**
 * Logs beforehand how long an index of many mails may take. While a statement runs, nothing can be logged or answered, since
 * it keeps the event loop busy.
 */
function foretell(client: SqliteClient, log: Log): void {
  if (client.prepare(`select 1 from sqlite_schema where "name" = 'emails'`).all([]).length === 0) return
  // by the last row, since counting them would take as long as an index
  const mails = Number(client.prepare('select max(rowid) as "rows" from "emails"').all([])[0]?.rows ?? 0)
  if (mails < MANY_MAILS) return
  const secondsForAnIndex = Math.ceil((mails / 1_000_000) * SECONDS_A_MILLION)
  log.info('the database has many mails; a migration that makes an index of them may take this long', {
    mails,
    secondsForAnIndex,
  })
}

const MANY_MAILS = 1_000_000
/** For an index of a million mails; measured, see docs/figures.md. */
const SECONDS_A_MILLION = 5

/** The statements that make at once what the migrations make of an empty database; the ORM must have one. */
export async function schemaByMigrations(orm: MikroORM): Promise<string> {
  await bringUp(orm)
  const client: SqliteClient = await orm.em.getDriver().getConnection().getNativeClient()
  const made = client.prepare(`select "sql" from "sqlite_schema" where "sql" is not null
    and substr("name", 1, 7) <> 'sqlite_'
    and "name" not in (select "name" from pragma_table_list where "type" = 'shadow') order by "rowid"`)
  return made
    .all([])
    .map(({ sql }) => `${String(sql).replaceAll('`', '"')};\n`)
    .join('')
}

function makeWhole(client: SqliteClient, sql: string): void {
  try {
    client.exec(`begin immediate; ${sql}`)
    const note = client.prepare(`insert into "${MIGRATIONS}" ("name") values (?)`)
    for (const { name } of migrations) note.run([name])
    client.exec('commit')
  } catch (cause) {
    if (client.inTransaction) client.exec('rollback')
    throw notBroughtUp(cause, migrations.at(-1)?.name ?? '')
  }
}

/** The names of the migrations that have run, oldest first. */
function executedIn(client: SqliteClient): readonly string[] {
  const there = client.prepare('select 1 from sqlite_schema where "name" = ?').all([MIGRATIONS])
  if (there.length === 0) return []
  const rows = client.prepare(`select "name" from "${MIGRATIONS}" order by "id"`).all([])
  return rows.map(({ name }) => String(name))
}

/** The ORM that runs the migrations, on a connection of its own, which waits for a lock as long as ours do. */
export async function withOrm<T>(path: string, work: (orm: MikroORM) => Promise<T>): Promise<T> {
  const orm = new MikroORM({
    dbName: path,
    entities: [],
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    migrations: migrationSettings(migrations),
    driverOptions: { timeout: BUSY_TIMEOUT },
  })
  try {
    return await work(orm)
  } finally {
    await orm.close(true)
  }
}

/**
 * How long a statement waits for a program that reads or copies the file, in milliseconds; at
 * start, and on reader threads.
 */
export const BUSY_TIMEOUT = 5000
