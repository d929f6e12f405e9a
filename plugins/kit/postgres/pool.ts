import pg from 'pg'
import type { Log } from '../../../core/ports/log.ts'

export interface PoolOptions {
  readonly url: string
  /** At most so many connections. */
  readonly max: number
  /** What `pg_stat_activity` calls them. */
  readonly name: string
  /** Milliseconds after which a statement counts as failed; without it they may take as long as they like. */
  readonly statementMs?: number
  /** Run on every new connection before anything else. */
  readonly onConnect?: string
}

/** How long connecting may take, in milliseconds. */
export const CONNECT_MS = 5_000

/**
 * A pool of PostgreSQL connections whose deaths go to the log instead of ending the process: whoever uses a dead
 * connection gets the error, and the pool makes a new one for the next statement. Nothing is connected yet.
 */
export function makePool({ url, max, name, statementMs, onConnect }: PoolOptions, log: Log): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    application_name: name,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_MS,
    ...(statementMs === undefined ? {} : { query_timeout: statementMs }),
    ...(onConnect === undefined ? {} : { onConnect: async (client) => void (await client.query(onConnect)) }),
  })
  const died = (error: Error) => log.debug('a connection to PostgreSQL ended', { error })
  pool.on('error', died)
  pool.on('connect', (client) => client.on('error', died))
  return pool
}
