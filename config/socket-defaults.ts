import { isJsonObject, type Json, type JsonObject } from '../core/values/json.ts'
import type { Readings } from './substitute.ts'

/** A config completed with what goes with its plugins. */
export interface CompletedConfig {
  readonly config: JsonObject
  /** The sockets added this way. Their problems are those of the plugin that added them. */
  readonly filled: readonly FilledSocket[]
}

/** A socket added, and the field of the one whose options it shares. */
interface FilledSocket {
  readonly socket: string
  readonly from: string
}

/** Adds the sockets that go with others. */
export function withSocketDefaults(config: JsonObject): CompletedConfig {
  const store = completeForPostgres(config)
  const ses = completeForSes(store.config)
  return { config: ses.config, filled: [...store.filled, ...ses.filled] }
}

/**
 * If all mail goes through Amazon SES, which signs it, domains are proven there, too, unless the config says otherwise:
 * publishing our own keys would be useless.
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
  return {
    config: { ...config, identity: { use: 'ses', options } },
    filled: [{ socket: 'identity', from: 'transports.0' }],
  }
}

/**
 * The PostgreSQL store is meant for several processes, so a queue and a scheduler that are left out use the same
 * database. With a schema, they get their own names, so that several installations can share a database.
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
    filled: filled.map((socket) => ({ socket, from: 'store' })),
  }
}

/** The readings, and those of the options that sockets share with others. */
export function withSharedReadings(readings: Readings, filled: readonly FilledSocket[]): Readings {
  const shared = filled.flatMap(({ socket, from }) =>
    [...readings]
      .filter(([field]) => field.startsWith(`${from}.options.`))
      .map(([field, reading]) => [`${socket}${field.slice(from.length)}`, reading] as const),
  )
  return new Map([...readings, ...shared])
}

/** A socket given as a name or with its options; undefined for any other. */
function named(socket: Json | undefined): JsonObject | undefined {
  if (typeof socket === 'string') return { use: socket }
  return isJsonObject(socket) ? socket : undefined
}
