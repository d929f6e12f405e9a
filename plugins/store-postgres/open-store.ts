import type { Log } from '../../core/ports/log.ts'
import type { Store } from '../../core/ports/store/store.ts'
import { sqlStore } from '../kit/sql/sql-store.ts'
import { alone, placeOf } from './connect.ts'
import { openDatabase } from './open-database.ts'
import type { PostgresOptions } from './options.ts'
import { PostgresWorkers } from './postgres-workers.ts'

/** Connects, brings the schema up to date and answers the store. Throws EngineError as `alone` does. */
export function openStore(
  options: PostgresOptions,
  log: Log,
): Promise<{ readonly store: Store; close(): Promise<void> }> {
  const place = placeOf(options, 'mailwright')
  return alone(place, log, async (found) => {
    const { orm, database, close, ...opened } = await openDatabase(place.config, options, found, log)
    try {
      if (await opened.migrate({ log }))
        log.info('a new database was made', { database: found.name, schema: found.schema })
      const workers = new PostgresWorkers(options, database, found.schema, log)
      return { store: sqlStore(database, orm, workers), close: () => workers.close().finally(close) }
    } catch (error) {
      await close()
      throw error
    }
  })
}
