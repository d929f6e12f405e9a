import { isJsonObject, type Json, type JsonObject } from '../core/values/json.ts'

/** A config in which a plugin has brought along what goes with it. */
export interface CompletedConfig {
  readonly config: JsonObject
  /** The sockets that were filled so: their problems are those of what brought them. */
  readonly filled: readonly string[]
}

/** Fills the sockets that go along with others. */
export function withSocketDefaults(config: JsonObject): CompletedConfig {
  const store = completeForPostgres(config)
  const ses = completeForSes(store.config)
  return { config: ses.config, filled: [...store.filled, ...ses.filled] }
}

/**
 * Where all mail goes through Amazon SES, which signs it, domains are proven there, too, unless the config says otherwise: keys of
 * our own would be published for nothing.
 */
export function completeForSes(config: JsonObject): CompletedConfig {
  const { transports, identity } = config
  const names = Array.isArray(transports) ? transports.map(named) : []
  const [first] = names
  if (identity !== undefined || first === undefined || !names.every((each) => each?.use === 'ses')) {
    return { config, filled: [] }
  }
  const { region, credentials, endpoint, timeouts } = isJsonObject(first.options) ? first.options : {}
  const access = Object.entries({ region, credentials, endpoint, timeouts }).filter(([, value]) => value !== undefined)
  const options = Object.fromEntries(access) as JsonObject
  return { config: { ...config, identity: { use: 'ses', options } }, filled: ['identity'] }
}

/**
 * Whoever names the PostgreSQL store means several processes: a queue and a scheduler that are left out become those on
 * the same database. With a schema of its own each has names of its own, so that installations can share a database.
 */
export function completeForPostgres(config: JsonObject): CompletedConfig {
  const store = named(config.store)
  if (store?.use !== 'postgres') return { config, filled: [] }
  const options = isJsonObject(store.options) ? store.options : {}
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

/** A socket written as a name, or with its options; undefined for any other. */
function named(socket: Json | undefined): JsonObject | undefined {
  if (typeof socket === 'string') return { use: socket }
  return isJsonObject(socket) ? socket : undefined
}
