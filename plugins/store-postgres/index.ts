import { Migrator } from '@mikro-orm/migrations'
import { MikroORM } from '@mikro-orm/postgresql'
import type { ClientConfig, PoolConfig } from 'pg'
import * as v from 'valibot'
import { definePlugin } from '../../core/plugin.ts'
import type { Log } from '../../core/ports/log.ts'
import type { Store } from '../../core/ports/store.ts'
import { connectionConfig, connectionOptions } from '../kit/postgres/connection.ts'
import { entities } from '../kit/sql/entities/all.ts'
import { migrate, migrationSettings } from '../kit/sql/migrate.ts'
import { sqlStore } from '../kit/sql/sql-store.ts'
import { alone, type FoundDatabase } from './connect.ts'
import { migrations } from './migrations/all.ts'
import { PostgresDatabase } from './postgres-database.ts'
import { postgresDialect } from './postgres-dialect.ts'
import { sortByBytes } from './sort-by-bytes.ts'

export const PostgresOptions = v.strictObject({
  ...connectionOptions,
  /** How many connections this process has at most, besides those of its queue. One more is used at start. */
  maxConnections: v.optional(v.pipe(v.number(), v.integer(), v.minValue(2), v.maxValue(1000)), 10),
  /** How long a statement may take, in seconds; 0 sets no limit. */
  statementTimeoutSeconds: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(86_400)), 60),
  /** The schema of the tables, made when it is missing; without it, where the user's tables go by default. */
  schema: v.optional(v.pipe(v.string(), v.regex(/^[a-z_][a-z0-9_]{0,62}$/, 'must be a lower-case name'))),
})
export type PostgresOptions = v.InferOutput<typeof PostgresOptions>

/**
 * Keeps everything in a PostgreSQL database (13 or later), which any number of processes may use at the same time.
 * While the server is away every method answers SERVICE_UNAVAILABLE; when it is back they work again by themselves.
 */
export const postgres = definePlugin({
  name: 'store-postgres',
  provides: ['store'],
  options: PostgresOptions,
  open: (options, { log }) => {
    const config = connectionConfig(options, 'mailwright')
    return alone(config, options.schema, log, (found) => openStore(config, options, found, log))
  },
})

async function openStore(
  config: ClientConfig,
  options: PostgresOptions,
  found: FoundDatabase,
  log: Log,
): Promise<{ store: Store; close(): Promise<void> }> {
  const pool: PoolConfig = {
    ...config,
    max: options.maxConnections,
    onConnect: (client) => client.query(sessionSettings(options, found)).then(() => {}),
  }
  const orm = new MikroORM({
    dbName: found.name,
    entities,
    extensions: [Migrator],
    discovery: { afterDiscovered: sortByBytes },
    migrations: migrationSettings(migrations, found.schema),
    driverOptions: pool,
    colors: false,
    logger: (message) => log.debug(message),
  })
  try {
    const native = await orm.em.getDriver().getConnection().getNativeClient()
    await migrate(orm, migrations)
    const database = new PostgresDatabase(orm, native, postgresDialect(found.lower))
    const close = () => database.close().finally(() => orm.close(true))
    return { store: sqlStore(database, orm), close }
  } catch (error) {
    await orm.close(true)
    throw error
  }
}

/**
 * What every connection begins with. Plans of prepared statements are made once, mostly while the tables are small, and
 * kept when they have grown: without sequential scans they look rows up by index from the start. A process that hangs
 * in a transaction does not hold its rows for ever.
 */
function sessionSettings({ schema, statementTimeoutSeconds }: PostgresOptions, found: FoundDatabase): string {
  const path = schema === undefined ? '' : `; set search_path to "${found.schema}"`
  return `set timezone to 'UTC'; set enable_seqscan to off; set jit to off;
    set statement_timeout to ${Math.round(statementTimeoutSeconds * 1000)};
    set idle_in_transaction_session_timeout to ${IDLE_MS}${path}`
}

const IDLE_MS = 60_000
