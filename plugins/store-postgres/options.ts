import * as v from 'valibot'
import { connectionOptions } from '../kit/postgres/connection.ts'
import { readTimeoutSeconds } from '../kit/sql/engine/long-read.ts'

/** Which database the store uses, and how. */
export const PostgresOptions = v.strictObject({
  ...connectionOptions,
  /** The most connections of this process, besides those of its queue. One more is used at start. */
  maxConnections: v.optional(v.pipe(v.number(), v.integer(), v.minValue(2), v.maxValue(1000)), 10),
  /** How long a statement may take, in seconds; 0 sets no limit. */
  statementTimeoutSeconds: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(86_400)), 60),
  /** How long one read of many rows may take, in seconds: a filter, a search, a statistic. */
  readTimeoutSeconds,
  /**
   * The tables' schema, made if it is missing. Default `mailwright`, unless the user's default schema has the tables: there
   * earlier versions made them.
   */
  schema: v.optional(v.pipe(v.string(), v.regex(/^[a-z_][a-z0-9_]{0,62}$/, 'must be a lower-case name'))),
})
export type PostgresOptions = v.InferOutput<typeof PostgresOptions>
