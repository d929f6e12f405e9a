import type { MetadataStorage } from '@mikro-orm/core'
import { Migrator } from '@mikro-orm/migrations'
import { MikroORM } from '@mikro-orm/postgresql'
import { type ClientConfig, escapeIdentifier, type Pool, type PoolConfig } from 'pg'
import type { Log } from '../../core/ports/log.ts'
import type { OpenDatabase } from '../kit/sql/copy/copy-side.ts'
import { migrate, migrationSettings } from '../kit/sql/engine/migrate.ts'
import { entities } from '../kit/sql/engine/tables.ts'
import type { FoundDatabase } from './connect.ts'
import { HostPool, ownPool } from './lender.ts'
import { migrations } from './migrations/all.ts'
import { connectionsOf, type PostgresOptions } from './options.ts'
import { PostgresDatabase } from './postgres-database.ts'
import { postgresDialect } from './postgres-dialect.ts'

/** Connects to the database without changing it. `settings` is SQL for every session. */
export async function openDatabase(
  config: ClientConfig,
  options: PostgresOptions,
  found: FoundDatabase,
  log: Log,
  settings = '',
): Promise<OpenDatabase> {
  const pool: PoolConfig = {
    ...config,
    // a pool of the host does all but the migrations
    max: options.pool ? 2 : connectionsOf(options),
    onConnect: (client) => client.query(`${sessionSettings(options, found)}; ${settings}`).then(() => {}),
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
    const limits = { ...options, maxConnections: connectionsOf(options) }
    const lender = options.pool
      ? new HostPool(options.pool as Pool, limits.maxConnections, sessionSettings(options, found, 'set local'))
      : ownPool(native)
    const database = new PostgresDatabase(lender, postgresDialect(found.lower), limits, found.schema)
    const close = () => database.close().finally(() => orm.close(true))
    return { orm, database, migrate: (given) => migrate(orm, migrations, given), close }
  } catch (error) {
    await orm.close(true)
    throw error
  }
}

/**
 * The settings of every connection. Plans of prepared statements are made once, mostly while the tables are small, and
 * kept when they have grown: without sequential scans, they use indexes from the start. A process that hangs in a
 * transaction does not hold its locks for ever.
 */
function sessionSettings(
  { statementTimeoutSeconds }: PostgresOptions,
  { schema }: FoundDatabase,
  set: 'set' | 'set local' = 'set',
): string {
  const settings = [
    `timezone to 'UTC'`,
    'enable_seqscan to off',
    'jit to off',
    `statement_timeout to ${Math.round(statementTimeoutSeconds * 1000)}`,
    `idle_in_transaction_session_timeout to ${IDLE_MS}`,
    `search_path to ${escapeIdentifier(schema)}`,
  ]
  return settings.map((setting) => `${set} ${setting}`).join('; ')
}

const IDLE_MS = 60_000

/**
 * Gives every text column the collation "C": texts are sorted by their bytes, as on SQLite, whatever the database's
 * language, and indexes on them are faster.
 */
export function sortByBytes(entities: MetadataStorage): void {
  for (const { props } of entities) {
    for (const property of props) if (property.type === 'text') property.collation = 'C'
  }
}
