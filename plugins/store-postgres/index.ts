import { loadOptional } from '../../core/plugin/optional-packages.ts'
import { definePlugin } from '../../core/plugin/plugin.ts'
import { PostgresOptions } from './options.ts'

export { PostgresOptions } from './options.ts'

/**
 * Keeps everything in a PostgreSQL database (13 or later), which any number of processes may use at the same time.
 * While the server is away, every method answers SERVICE_UNAVAILABLE; when it is back, they work again by themselves.
 * Needs the packages of PostgreSQL; throws EngineError `CONFIG_INVALID` on opening without them.
 */
export const postgres = definePlugin({
  name: 'store-postgres',
  provides: ['store'],
  options: PostgresOptions,
  describe: ({ url, pool }) => (pool ? 'a pool of the host' : placeOf(url ?? '')),
  async open(options, { log }) {
    const { openStore } = await loadOptional('store-postgres', 'postgres', () => import('./open-store.ts'), ['pg'])
    return openStore(options, log)
  },
  async schemaState(options) {
    const look = () => import('./schema-state.ts')
    return (await loadOptional('store-postgres', 'postgres', look, ['pg'])).postgresSchemaState(options)
  },
})

/** The URL's server and database, without user, password and options. */
function placeOf(text: string): string {
  const { host, pathname } = URL.parse(text) ?? { host: '', pathname: '' }
  return `${host}${pathname}`
}
