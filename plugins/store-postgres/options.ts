import * as v from 'valibot'
import { connectionOptions, oneDatabase, postgresUrl } from '../kit/postgres/connection.ts'
import { readTimeoutSeconds } from '../kit/sql/engine/long-read.ts'

/** Which database the store uses, and how. */
const PostgresEntries = v.strictObject({
  ...connectionOptions,
  /**
   * The most connections of this process, besides those of its queue. One more is used at start. Default 10, of a `pool` half
   * of its own.
   */
  maxConnections: v.optional(v.pipe(v.number(), v.integer(), v.minValue(2), v.maxValue(1000))),
  /** How long a statement may take, in seconds; 0 sets no limit. */
  statementTimeoutSeconds: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(86_400)), 60),
  /** How long one read of many rows may take, in seconds: a filter, a search, a statistic. */
  readTimeoutSeconds,
  /**
   * A standby of the database (streaming replication), which takes reads of many rows: filters, searches, exports, statistics.
   * They see what is committed, as without it. The user, `ssl` and the rest of the URL are its own.
   */
  readUrl: v.optional(postgresUrl),
  /**
   * The tables' schema, made if it is missing. Default `mailwright`, unless the user's default schema has the tables: there
   * earlier versions made them.
   */
  schema: v.optional(v.pipe(v.string(), v.regex(/^[a-z_][a-z0-9_]{0,62}$/, 'must be a lower-case name'))),
})
export const PostgresOptions = v.pipe(
  PostgresEntries,
  oneDatabase(),
  v.forward(
    v.check(({ pool }) => pool === undefined || pool.options.max >= 2, 'must have two connections at least (max)'),
    ['pool'],
  ),
)
export type PostgresOptions = v.InferOutput<typeof PostgresOptions>

/** How many connections the store may use at a time. */
export function connectionsOf({ maxConnections, pool }: PostgresOptions): number {
  if (pool === undefined) return maxConnections ?? 10
  const { max } = pool.options
  return Math.min(max, maxConnections ?? Math.max(2, Math.floor(max / 2)))
}
