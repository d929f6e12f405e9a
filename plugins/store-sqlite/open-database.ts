import { MikroORM } from '@mikro-orm/sqlite'
import type { Log } from '../../core/ports/log.ts'
import type { OpenDatabase } from '../kit/sql/copy/copy-side.ts'
import { entities } from '../kit/sql/engine/tables.ts'
import { BUSY_TIMEOUT, migrateFile } from './migrate-file.ts'
import { type HeldFile, MEMORY } from './open-file.ts'
import type { SqliteClient } from './sqlite-client.ts'
import { SqliteDatabase } from './sqlite-database.ts'
import { openPlain } from './sqlite-driver.ts'
import { defineFunctions } from './sqlite-functions.ts'
import { SqliteReaders } from './sqlite-readers.ts'
import { WalFile, WalSync } from './wal-sync.ts'
import { DatabaseFiles, WriteGuard } from './write-guard.ts'

export interface OpenFile extends OpenDatabase {
  readonly database: SqliteDatabase
  readonly client: SqliteClient
  /** Sets how the file is written, once the schema is up to date. */
  tune(synchronous: string): void
}

export interface OpenFileSettings {
  /** How long one read of many rows may take. */
  readonly readTimeoutSeconds?: number
  readonly log?: Log
}

/** Opens the file without changing it. The caller must release its hold on the file. */
export async function openDatabase(held: HeldFile, settings: OpenFileSettings = {}): Promise<OpenFile> {
  const { path } = held
  const { readTimeoutSeconds: seconds = DAY, log } = settings
  const client = openPlain(path, BUSY_TIMEOUT)
  try {
    client.pragma('foreign_keys = on')
    rollBackOnce(client)
    // a database in memory has only one connection
    const readers = path === MEMORY ? undefined : new SqliteReaders({ path, timeout: BUSY_TIMEOUT, seconds })
    const database = new SqliteDatabase(client, held, readers)
    const wal = path === MEMORY ? undefined : new WalFile(path)
    let tuned = false
    const close = async () => {
      await database.close()
      await wal?.close()
      try {
        if (tuned && path !== MEMORY) client.pragma('wal_checkpoint(truncate)')
      } finally {
        client.close()
      }
    }
    const tune = (synchronous: string) => {
      for (const setting of SETTINGS) client.pragma(setting)
      if (wal) database.guardBy(new WriteGuard({ files: new DatabaseFiles(path), wal, ...(log && { log }) }))
      if (synchronous === 'FULL' && wal) database.syncBy(new WalSync(() => wal.sync()))
      if (wal) database.moveLog()
      defineFunctions(client)
      tuned = true
    }
    return { orm: writer(), client, database, migrate: (given) => migrateFile(client, path, given), tune, close }
  } catch (error) {
    client.close()
    throw error
  }
}

let made: MikroORM | undefined

/**
 * Writes statements and knows the columns, and never connects. All databases of a process share it: to make it takes
 * longer than all else that an opening does.
 */
function writer(): MikroORM {
  made ??= new MikroORM({ dbName: MEMORY, entities })
  return made
}

/**
 * After some failures, a full disk for one, SQLite has already rolled back. A rollback then fails, and the ORM keeps the
 * connection of a transaction whose rollback failed, for which everybody else would wait forever.
 */
function rollBackOnce(client: SqliteClient): void {
  const prepare = client.prepare.bind(client)
  client.prepare = (sql) => prepare(sql === 'rollback' && !client.inTransaction ? 'select null where false' : sql)
}

/** A copy may take as long as it needs. */
const DAY = 86_400

/**
 * The most of the file kept in memory. SQLite's own 2 MB do not even hold the inner pages of a large ledger; with much
 * more, commits get slow: one that has split a page walks through every page kept (SQLite 3.53).
 */
const CACHE_KIB = 8_192

/** NORMAL leaves each commit's sync to WalSync, which does it off the main thread. */
const SETTINGS = [
  'journal_mode = wal',
  'synchronous = normal',
  `cache_size = -${CACHE_KIB}`,
  'temp_store = memory',
  // erased data is overwritten where its page is written anyway, which costs nothing
  'secure_delete = fast',
  // from here on, LockWait does the waiting
  'busy_timeout = 0',
]
