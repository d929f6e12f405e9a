import { Migrator } from '@mikro-orm/migrations'
import { MikroORM } from '@mikro-orm/sqlite'
import * as v from 'valibot'
import { EngineError } from '../../core/errors.ts'
import { definePlugin } from '../../core/plugin.ts'
import type { Store } from '../../core/ports/store.ts'
import { entities } from '../kit/sql/entities/all.ts'
import { migrate, migrationSettings } from '../kit/sql/migrate.ts'
import { sqlStore } from '../kit/sql/sql-store.ts'
import { migrations } from './migrations/all.ts'
import { type HeldFile, holdFile, unusable } from './open-file.ts'
import type { SqliteClient } from './sqlite-client.ts'
import { SqliteDatabase } from './sqlite-database.ts'
import { LOWER } from './sqlite-dialect.ts'

const SqliteOptions = v.strictObject({
  /** Where the database is; its folder is made. `:memory:` keeps everything in memory and forgets it at stop. */
  file: v.optional(v.pipe(v.string(), v.minLength(1, 'must not be empty')), './data/mailwright.db'),
  /**
   * FULL: what was answered survives a power cut. NORMAL is faster on slow disks; a power cut (not a crash of the
   * process) may cost the last commits.
   */
  synchronous: v.optional(v.picklist(['FULL', 'NORMAL']), 'FULL'),
})

/**
 * Keeps everything in one SQLite file. One process at a time: a second one on the same file is refused at start
 * (STORE_LOCKED). While it is open, other programs may read the file.
 */
export const sqlite = definePlugin({
  name: 'store-sqlite',
  provides: ['store'],
  options: SqliteOptions,
  async open({ file, synchronous }, { log }) {
    const held = file === MEMORY ? { path: MEMORY, release: async () => {} } : await holdFile(file)
    try {
      const { store, close } = await openStore(held, synchronous)
      log.debug('database open', { file: held.path })
      return { store, close: () => close().finally(() => held.release()) }
    } catch (error) {
      await held.release()
      throw EngineError.is(error) ? error : unusable(held.path, error)
    }
  },
})

const MEMORY = ':memory:'

async function openStore(held: HeldFile, synchronous: string): Promise<{ store: Store; close(): Promise<void> }> {
  const { path } = held
  const orm = new MikroORM({
    dbName: path,
    entities,
    extensions: [Migrator],
    migrations: migrationSettings(migrations),
    driverOptions: { timeout: BUSY_TIMEOUT },
  })
  try {
    const client: SqliteClient = await orm.em.getDriver().getConnection().getNativeClient()
    await migrate(orm, migrations)
    client.pragma('journal_mode = wal')
    client.pragma(`synchronous = ${synchronous}`)
    client.pragma(`cache_size = -${CACHE_KIB}`)
    client.pragma('temp_store = memory')
    client.function(LOWER, { deterministic: true }, (text) => (typeof text === 'string' ? text.toLowerCase() : text))
    const database = new SqliteDatabase(orm, client, held)
    const close = async () => {
      await database.close()
      try {
        if (path !== MEMORY) client.pragma('wal_checkpoint(truncate)')
      } finally {
        await orm.close(true)
      }
    }
    return { store: sqlStore(database, orm), close }
  } catch (error) {
    await orm.close(true)
    throw error
  }
}

/** How long a statement waits for a program that reads or copies the file, in milliseconds. */
const BUSY_TIMEOUT = 5000

/** How much of the file is kept in memory at most; SQLite's own 2 MB hold not even the inner pages of a large ledger. */
const CACHE_KIB = 65_536
