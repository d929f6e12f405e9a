import * as v from 'valibot'
import { EngineError } from '../../core/errors.ts'
import { requireFitting } from '../../core/plugin/optional-packages.ts'
import { definePlugin } from '../../core/plugin/plugin.ts'
import type { Log } from '../../core/ports/log.ts'
import type { Store } from '../../core/ports/store/store.ts'
import { readTimeoutSeconds } from '../kit/sql/engine/long-read.ts'
import { sqlStore } from '../kit/sql/sql-store.ts'
import { openDatabase } from './open-database.ts'
import { type HeldFile, holdFile, MEMORY, unusable, warnOfOpenDatabase } from './open-file.ts'
import { sqliteSchemaState } from './schema-state.ts'

export { openHandle } from './host-handle.ts'
export type { HostHandle, HostStatement } from './sqlite-client.ts'

/** The options of `sqlite`. */
export const SqliteOptions = v.strictObject({
  /** Where the database is; its folder is made. Default `./data/mailwright.db`. `:memory:` forgets everything at stop. */
  file: v.optional(v.pipe(v.string(), v.minLength(1, 'must not be empty')), './data/mailwright.db'),
  /**
   * FULL, the default: whatever was answered survives a power cut. NORMAL is faster on slow disks, but a power cut (not a crash of
   * the process) may lose the last commits.
   */
  synchronous: v.optional(v.picklist(['FULL', 'NORMAL']), 'FULL'),
  /** How long one read of many rows may take, in seconds: a filter, a search, a statistic. */
  readTimeoutSeconds,
})
type SqliteOptions = v.InferOutput<typeof SqliteOptions>

/**
 * Keeps everything in one SQLite file, for one process at a time: a second one on the same file is refused at start
 * (STORE_LOCKED). Other programs may read the file while it is open.
 */
export const sqlite = definePlugin({
  name: 'store-sqlite',
  provides: ['store'],
  options: SqliteOptions,
  describe: ({ file }) => file,
  async open(options, { log }) {
    requireFitting('store-sqlite', 'better-sqlite3', 'let npm install the version that mailwright asks for')
    const held = options.file === MEMORY ? inMemory : await holdFile(options.file)
    try {
      const { store, isNew, close } = await openStore(held, options, log)
      if (held.path !== MEMORY) await warnOfOpenDatabase(held, log)
      if (isNew && held.path !== MEMORY) log.info('a new database was made', { file: held.path })
      else log.debug('database open', { file: held.path })
      return { store, close: () => close().finally(() => held.release()) }
    } catch (error) {
      await held.release()
      throw EngineError.is(error) ? error : unusable(held.path, error)
    }
  },
  schemaState: ({ file }) => sqliteSchemaState(file),
})

const inMemory: HeldFile = { path: MEMORY, release: async () => {} }

async function openStore(
  held: HeldFile,
  { synchronous, readTimeoutSeconds }: SqliteOptions,
  log: Log,
): Promise<{ store: Store; isNew: boolean; close(): Promise<void> }> {
  const { orm, database, tune, close, ...opened } = await openDatabase(held, { readTimeoutSeconds, log })
  try {
    const isNew = await opened.migrate({ log })
    tune(synchronous)
    return { store: sqlStore(database, orm), isNew, close }
  } catch (error) {
    await close()
    throw error
  }
}
