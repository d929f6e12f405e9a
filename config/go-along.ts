import { isJsonObject, type Json, type JsonObject } from '../core/values/json.ts'

/** A config in which a store has brought along what goes with it. */
export interface CompletedConfig {
  readonly config: JsonObject
  /** The sockets that were filled so: their problems are those of the store. */
  readonly filled: readonly string[]
}

/**
 * Whoever names the PostgreSQL store means several processes: a queue and a scheduler that are left out become those on
 * the same database. With a schema of its own each has names of its own, so that installations can share a database.
 */
export function completeForPostgres(config: JsonObject): CompletedConfig {
  const { store } = config
  const named = typeof store === 'string' ? { use: store } : store
  if (!isJsonObject(named) || named.use !== 'postgres') return { config, filled: [] }
  const options = isJsonObject(named.options) ? named.options : {}
  const { url, ssl, schema } = options
  const database = { ...(url === undefined ? {} : { url }), ...(ssl === undefined ? {} : { ssl }) }
  const own = typeof schema === 'string'
  const sockets: Readonly<Record<string, Json>> = {
    queue: { use: 'postgres', options: { ...database, ...(own ? { schema: `${schema.slice(0, 43)}_queue` } : {}) } },
    scheduler: { use: 'postgres', options: { ...database, ...(own ? { name: schema } : {}) } },
  }
  const filled = Object.keys(sockets).filter((socket) => config[socket] === undefined)
  return {
    config: { ...config, ...Object.fromEntries(filled.map((socket) => [socket, sockets[socket] ?? null])) },
    filled,
  }
}
