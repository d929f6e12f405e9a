import { definePlugin } from '../../core/plugin/plugin.ts'
import { connectionConfig } from '../kit/postgres/connection.ts'
import { migrate } from '../kit/sql/engine/migrate.ts'
import { sqlStore } from '../kit/sql/sql-store.ts'
import { alone } from './connect.ts'
import { migrations } from './migrations/all.ts'
import { openDatabase } from './open-database.ts'
import { PostgresOptions } from './options.ts'
import { PostgresWorkers } from './postgres-workers.ts'

export { PostgresOptions } from './options.ts'

/**
 * Keeps everything in a PostgreSQL database (13 or later), which any number of processes may use at the same time.
 * While the server is away, every method answers SERVICE_UNAVAILABLE; when it is back, they work again by themselves.
 */
export const postgres = definePlugin({
  name: 'store-postgres',
  provides: ['store'],
  options: PostgresOptions,
  describe: ({ url }) => placeOf(url),
  open: (options, { log }) => {
    const config = connectionConfig(options, 'mailwright')
    return alone(config, options.schema, log, async (found) => {
      const { orm, database, close } = await openDatabase(config, options, found, log)
      try {
        if (await migrate(orm, migrations))
          log.info('a new database was made', { database: found.name, schema: found.schema })
        const workers = new PostgresWorkers(options, database, log)
        return { store: sqlStore(database, orm, workers), close: () => workers.close().finally(close) }
      } catch (error) {
        await close()
        throw error
      }
    })
  },
})

/** The URL's server and database, without user, password and options. */
function placeOf(text: string): string {
  const { host, pathname } = URL.parse(text) ?? { host: '', pathname: '' }
  return `${host}${pathname}`
}
