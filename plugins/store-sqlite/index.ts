import * as v from 'valibot'
import { EngineError } from '../../core/errors.ts'
import { definePlugin } from '../../core/plugin.ts'
import type { Store } from '../../core/ports/store.ts'
import { migrate } from '../kit/sql/migrate.ts'
import { sqlStore } from '../kit/sql/sql-store.ts'
import { migrations } from './migrations/all.ts'
import { openDatabase } from './open-database.ts'
import { type HeldFile, holdFile, MEMORY, unusable } from './open-file.ts'

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
  describe: ({ file }) => file,
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

async function openStore(held: HeldFile, synchronous: string): Promise<{ store: Store; close(): Promise<void> }> {
  const { orm, database, tune, close } = await openDatabase(held)
  try {
    await migrate(orm, migrations)
    tune(synchronous)
    return { store: sqlStore(database, orm), close }
  } catch (error) {
    await close()
    throw error
  }
}
