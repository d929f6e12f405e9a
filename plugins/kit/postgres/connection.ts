import { createRequire } from 'node:module'
import type pg from 'pg'
import * as v from 'valibot'
import type { Log } from '../../../core/ports/log.ts'

/** A plugin's options for its PostgreSQL database: entries for its own schema. */
export const connectionOptions = {
  /** Where the database is: `postgres://user:password@host:5432/name`. */
  url: v.pipe(
    v.string(),
    v.check(
      isPostgresUrl,
      'must be a URL such as postgres://user:password@localhost:5432/name; special characters in user and password are percent-encoded: # is %23, / is %2F',
    ),
  ),
  /** TLS: true checks the server's certificate; an object gives the certificates. The URL's own `sslmode` wins. */
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

/** Where a PostgreSQL database is, validated. */
export type ConnectionOptions = v.InferOutput<v.StrictObjectSchema<typeof connectionOptions, undefined>>

/** How long connecting may take, in milliseconds. */
const CONNECT_MS = 5_000

/** What all connections have in common. `name` is shown in `pg_stat_activity`. */
export function connectionConfig({ url, ssl }: ConnectionOptions, name: string): pg.ClientConfig {
  return {
    connectionString: url,
    fallback_application_name: name,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    // Firewalls drop silent connections.
    keepAliveInitialDelayMillis: 30_000,
    ...(ssl === undefined ? {} : { ssl }),
  }
}

export interface PoolOptions {
  readonly name: string
  /** The largest number of connections. */
  readonly max: number
  /** Milliseconds after which a statement fails; no limit without it. */
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
 * Logs the deaths of a pool's connections, which would end the process otherwise. Whoever uses a dead connection gets
 * the error, and the pool opens a new one for the next statement.
 */
export function logDeaths(pool: pg.Pool, log: Log): void {
  const died = (error: Error) => log.debug('a connection to PostgreSQL ended', { error })
  pool.on('error', died)
  pool.on('connect', (client) => client.on('error', died))
}

function isPostgresUrl(text: string): boolean {
  if (!/^postgres(?:ql)?:\/\//i.test(text) || isCutShort(text)) return false
  // pg is an optional package: where it is missing, opening the plugin says so
  const { Client }: Partial<typeof pg> = optionalPg() ?? {}
  try {
    return Client === undefined || new Client({ connectionString: text }).host !== ''
  } catch {
    return false
  }
}

/**
 * Whether a sign of a password that is not percent-encoded, as in `user:12#3@host`, ends the host too early. pg would take
 * the user for the host.
 */
function isCutShort(text: string): boolean {
  const url = URL.parse(text)
  return text.includes('#') || (url !== null && /@/.test(`${url.pathname}${[...url.searchParams.keys()].join()}`))
}

function optionalPg(): typeof pg | undefined {
  try {
    return createRequire(import.meta.url)('pg')
  } catch {
    return undefined
  }
}
