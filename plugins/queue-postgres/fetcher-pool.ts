import pg from 'pg'
import type { Log } from '../../core/ports/log.ts'
import { type ConnectionOptions, logDeaths, type PoolOptions, poolConfig } from '../kit/postgres/connection.ts'

/**
 * A fetcher's connections. When the fetcher ends, graphile-worker only tidies up, and unlocking makes good whatever
 * fails of that. But it leaves some of these errors uncaught (0.18.0: rows in the local queue that cannot be given
 * back), which ends the process. So from then on, statements do not fail.
 */
export class FetcherPool extends pg.Pool {
  #forgiving = false

  constructor(connection: ConnectionOptions, options: PoolOptions, log: Log) {
    super(poolConfig(connection, options))
    logDeaths(this, log)
    this.on('connect', (client) => this.#soften(client))
  }

  /** From now on, a statement that fails counts as one that found nothing to do. */
  forgive(): void {
    this.#forgiving = true
  }

  override connect(): Promise<pg.PoolClient>
  override connect(callback: Connected): void
  override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
    if (callback !== undefined) {
      super.connect(callback)
      return undefined
    }
    return super.connect().catch((error) => {
      if (this.#forgiving) return unconnectedClient()
      throw error
    })
  }

  #soften(client: pg.PoolClient): void {
    const { query } = client
    const soft = (...given: unknown[]): unknown => {
      const answer: unknown = Reflect.apply(query, client, given)
      if (!(answer instanceof Promise)) return answer
      return answer.catch((error) => {
        if (this.#forgiving) return NOTHING
        throw error
      })
    }
    Object.assign(client, { query: soft })
  }
}

type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: unknown) => void,
) => void

const NOTHING = { rows: [], rowCount: 0, command: '', oid: 0, fields: [] }

/** A connection to no server. */
function unconnectedClient(): pg.PoolClient {
  return Object.assign(new pg.Client(), { query: async () => NOTHING, release: () => {} })
}
