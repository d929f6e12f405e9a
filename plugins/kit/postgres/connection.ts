import { createRequire } from 'node:module'
import type pg from 'pg'
import * as v from 'valibot'
import type { Log } from '../../../core/ports/log.ts'
import { say } from '../../../core/values/parse.ts'

/**
 * A `Pool` of the package `pg`, as far as options say. Its own type would stand in our declarations, and users of
 * another store have no `pg`.
 */
export interface PgPool {
  readonly totalCount: number
  readonly options: { readonly max: number }
  /** Set by `end()`. */
  readonly ending?: boolean
  connect(): Promise<unknown>
}

/** The URL of a PostgreSQL database. */
export const postgresUrl = v.pipe(
  v.string(),
  v.check(
    isPostgresUrl,
    'must be a URL such as postgres://user:password@localhost:5432/name; special characters in user and password are percent-encoded: # is %23, / is %2F',
  ),
)

/** A plugin's options for its PostgreSQL database: entries for its own schema, to be checked by `oneDatabase`. */
export const connectionOptions = {
  /** Where the database is: `postgres://user:password@host:5432/name`. */
  url: v.optional(postgresUrl),
  /** In code, instead of `url`: a pool of `pg` that you have. It is never ended. */
  pool: v.optional(
    v.pipe(
      v.custom<PgPool>(isPool, 'must be a Pool of pg'),
      v.check(({ ending }) => ending !== true, 'has been ended: give a pool that is open, and end it after the engine'),
    ),
  ),
  /** TLS: true checks the server's certificate; an object gives the certificates. The URL's own `sslmode` wins. */
  ssl: v.optional(
    v.union([
      v.boolean(),
      v.strictObject({
        /** Certificates in PEM. */
        ca: v.optional(v.string()),
        /** This program's own certificate, in PEM, where the server asks for one. */
        cert: v.optional(v.string()),
        /** Its private key, in PEM. */
        key: v.optional(v.string()),
        /** False accepts any certificate: only for a server on a network you trust. Default true. */
        rejectUnauthorized: v.optional(v.boolean()),
      }),
    ]),
  ),
} as const

type Named = Partial<Record<'url' | 'pool', unknown>>

/** Checks that options name one database. */
export function oneDatabase<Options extends Named>() {
  return v.rawCheck<Options>(({ dataset, addIssue }) => {
    if (!dataset.typed) return
    const { url, pool } = dataset.value
    if ((url === undefined) !== (pool === undefined)) return
    const message =
      url === undefined ? say('required', 'is required') : say('custom', 'cannot be given together with pool')
    const input: Record<string, unknown> = Object(dataset.value)
    addIssue({ message, path: [{ type: 'object', origin: 'value', input, key: 'url', value: url }] })
  })
}

/** Where a PostgreSQL database is, validated. */
export type ConnectionOptions = v.InferOutput<v.StrictObjectSchema<typeof connectionOptions, undefined>>

/** How long connecting may take, in milliseconds. */
const CONNECT_MS = 5_000

/** The settings that all connections share. `name` is shown in `pg_stat_activity`. */
export function connectionConfig({ url, ssl, pool }: ConnectionOptions, name: string): pg.ClientConfig {
  return {
    ...(pool ? likeThoseOf(pool) : { connectionString: url }),
    fallback_application_name: name,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    // Firewalls drop silent connections.
    keepAliveInitialDelayMillis: 30_000,
    ...(ssl === undefined ? {} : { ssl }),
  }
}

/** How a pool connects. It hides its password from those who list its options. */
function likeThoseOf(pool: PgPool): pg.ClientConfig {
  const { options } = pool as pg.Pool
  const { connectionString, host, port, user, password, database, ssl, stream, options: settings } = options
  const given = { connectionString, host, port, user, password, database, ssl, stream, options: settings }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
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
 * Logs the deaths of a pool's connections, which would end the process otherwise. The user of a dead connection gets
 * the error, and the pool opens a new one for the next statement.
 */
export function logDeaths(pool: pg.Pool, log: Log): void {
  const died = (error: Error) => log.debug('a connection to PostgreSQL ended', { error })
  pool.on('error', died)
  pool.on('connect', (client) => client.on('error', died))
}

function isPool(given: unknown): boolean {
  return (
    typeof given === 'object' && given !== null && 'totalCount' in given && 'connect' in given && 'options' in given
  )
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
