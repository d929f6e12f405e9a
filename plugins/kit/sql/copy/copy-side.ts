import type { MikroORM } from '@mikro-orm/sql'
import { EngineError } from '../../../../core/errors.ts'
import type { EmailRepository } from '../../../../core/ports/store/emails.ts'
import type { Database } from '../engine/access.ts'
import { isCopyMark } from '../engine/copy-mark.ts'
import type { KnownMigration } from '../engine/known-names.ts'
import { MIGRATIONS, type MigrateOptions, namesToday } from '../engine/migrate.ts'
import type { Table } from '../engine/table.ts'
import { type Tables, tablesOf } from '../engine/tables.ts'
import { sqlStore } from '../sql-store.ts'
import { isThere } from './copy-rows.ts'

/** A database that is open, with nothing read or written yet. */
export interface OpenDatabase {
  readonly database: Database
  readonly orm: MikroORM
  /** Brings the schema up to date, as `migrate` does. */
  migrate(options?: MigrateOptions): Promise<boolean>
  close(): Promise<void>
}

/** One end of a copy: its tables, in the order they are copied. */
export interface CopySide {
  readonly database: Database
  readonly tables: readonly Table<object>[]
  /** The same by their names. */
  readonly named: Tables
  readonly emails: EmailRepository
  /** The mark of the unfinished copy into this database. */
  readonly mark: string | undefined
  close(): Promise<void>
}

/**
 * The source. Throws EngineError `CONFIG_INVALID` when it is no database of this version of Mailwright, and
 * `STORE_NEWER` when it is of a newer version.
 */
export async function copySource(open: OpenDatabase, known: readonly KnownMigration[]): Promise<CopySide> {
  const { executed, mark } = (await executedIn(open.database)) ?? { executed: [], mark: undefined }
  const names = namesToday(executed, known)
  if (names.length === 0) throw new EngineError('CONFIG_INVALID', 'This is not a database of Mailwright.')
  if (names.length < known.length) {
    const message = 'The database was written by an older version: start and stop this version on it once, then copy.'
    throw new EngineError('CONFIG_INVALID', message)
  }
  if (mark !== undefined) throw new EngineError('STORE_LOCKED', 'The database holds an unfinished copy itself.')
  return sideOf(open, undefined)
}

/**
 * The target, migrated to this version. Throws EngineError `CONFLICT`, with nothing changed, when it holds rows that no
 * unfinished copy has written.
 */
export async function copyTarget(open: OpenDatabase, known: readonly KnownMigration[]): Promise<CopySide> {
  const found = await executedIn(open.database)
  if (found) namesToday(found.executed, known)
  const side = sideOf(open, found?.mark)
  if (found && found.mark === undefined) await refuseFilled(side)
  await open.migrate({ purpose: 'copy' })
  return side
}

/** A database to add projects to, migrated to this version. Throws EngineError as the start of an engine does. */
export async function copyInto(open: OpenDatabase): Promise<CopySide> {
  await open.migrate()
  return sideOf(open, undefined)
}

async function refuseFilled({ database, tables }: CopySide): Promise<void> {
  for (const table of tables) {
    // an older version may not have this table yet
    if ((await ifKnown(database, () => isThere(database, table))) !== true) continue
    throw new EngineError(
      'CONFLICT',
      `The target holds data already (${table.name}) and no unfinished copy: name an empty database. Nothing was changed.`,
    )
  }
}

interface Executed {
  readonly executed: readonly string[]
  readonly mark: string | undefined
}

/** The migrations that have run; undefined when there is no table of them. */
async function executedIn(database: Database): Promise<Executed | undefined> {
  const sql = `select "name" from "${MIGRATIONS}" order by "id"`
  const rows = await ifKnown(database, () => database.read((session) => session.all(sql, [])))
  const names = rows?.map(({ name }) => String(name))
  return names && { executed: names.filter((name) => !isCopyMark(name)), mark: names.find(isCopyMark) }
}

/** The answer of `read`, or undefined when the database does not know the table. */
async function ifKnown<T>({ dialect }: Database, read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (EngineError.is(error) || dialect.isUnavailable(error)) throw error
    return undefined
  }
}

function sideOf({ database, orm, close }: OpenDatabase, mark: string | undefined): CopySide {
  const named = tablesOf(database.dialect, orm)
  return { database, tables: Object.values(named), named, emails: sqlStore(database, orm).emails, mark, close }
}
