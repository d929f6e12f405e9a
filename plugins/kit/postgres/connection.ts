import pg from 'pg'
import * as v from 'valibot'
import type { Log } from '../../../core/ports/log.ts'

/** The options by which a plugin is told its PostgreSQL database: entries for its own schema. */
export const connectionOptions = {
  /** Where the database is: `postgres://user:password@host:5432/name`. */
  url: v.pipe(v.string(), v.check(isPostgresUrl, 'must be a URL such as postgres://user:password@localhost:5432/name')),
  /** TLS: true checks the server's certificate; an object says with what. The URL's own `sslmode` comes first. */
  ssl: v.optional(
    v.union([
      v.boolean(),
      v.strictObject({
        /** Certificates in PEM. */
        ca: v.optional(v.string()),
        cert: v.optional(v.string()),
        key: v.optional(v.string()),
        rejectUnauthorized: v.optional(v.boolean()),
      }),
    ]),
  ),
} as const

/** Where a PostgreSQL database is, after the check. */
export type ConnectionOptions = v.InferOutput<v.StrictObjectSchema<typeof connectionOptions, undefined>>

/** How long connecting may take, in milliseconds. */
const CONNECT_MS = 5_000

/** What every connection has in common; `name` is what `pg_stat_activity` calls it. */
export function connectionConfig({ url, ssl }: ConnectionOptions, name: string): pg.ClientConfig {
  return {
    connectionString: url,
    fallback_application_name: name,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    // Firewalls forget silent connections.
    keepAliveInitialDelayMillis: 30_000,
    ...(ssl === undefined ? {} : { ssl }),
  }
}

export interface PoolOptions {
  readonly name: string
  /** At most so many connections. */
  readonly max: number
  /** Milliseconds after which a statement counts as failed; without it they may take as long as they like. */
  readonly statementMs?: number
  /** Run on every new connection before anything else. */
  readonly onConnect: string
}

/** The settings of a pool. */
export function poolConfig(
  connection: ConnectionOptions,
  { name, max, statementMs, onConnect }: PoolOptions,
): pg.PoolConfig {
  return {
    ...connectionConfig(connection, name),
    max,
    ...(statementMs === undefined ? {} : { query_timeout: statementMs }),
    onConnect: async (client) => void (await client.query(onConnect)),
  }
}

/**
 * Sends the deaths of a pool's connections to the log, where they would end the process else: whoever uses a dead
 * connection gets the error, and the pool makes a new one for the next statement.
 */
export function logDeaths(pool: pg.Pool, log: Log): void {
  const died = (error: Error) => log.debug('a connection to PostgreSQL ended', { error })
  pool.on('error', died)
  pool.on('connect', (client) => client.on('error', died))
}

function isPostgresUrl(text: string): boolean {
  if (!/^postgres(?:ql)?:\/\//i.test(text)) return false
  try {
    return new pg.Client({ connectionString: text }).host !== ''
  } catch {
    return false
  }
}
