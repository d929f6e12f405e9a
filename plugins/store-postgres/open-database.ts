import type { MetadataStorage } from '@mikro-orm/core'
import { Migrator } from '@mikro-orm/migrations'
import { MikroORM } from '@mikro-orm/postgresql'
import pg, { type ClientConfig, escapeIdentifier, type PoolConfig } from 'pg'
import { type Log, silentLog } from '../../core/ports/log.ts'
import { connectionConfig, logDeaths } from '../kit/postgres/connection.ts'
import type { OpenDatabase } from '../kit/sql/copy/copy-side.ts'
import { isCurrent, type MigrateOptions, migrate, migrationSettings, type Progress } from '../kit/sql/engine/migrate.ts'
import { entities } from '../kit/sql/engine/tables.ts'
import type { FoundDatabase } from './connect.ts'
import { HostPool, type Lender, ownPool } from './lender.ts'
import { migrations } from './migrations/all.ts'
import { connectionsOf, type PostgresOptions } from './options.ts'
import { PostgresDatabase } from './postgres-database.ts'
import { postgresDialect } from './postgres-dialect.ts'
import { executedIn } from './schema-state.ts'
import { Standby, systemOf } from './standby.ts'

/** Connects to the database without changing it. With `read`, nothing can be written. */
export async function openDatabase(
  config: ClientConfig,
  options: PostgresOptions,
  found: FoundDatabase,
  log: Log,
  access: 'write' | 'read' = 'write',
): Promise<OpenDatabase> {
  const settings = sessionSettings(options, found)
  const pool: PoolConfig = {
    ...config,
    max: connectionsOf(options),
    ...(found.isPooled
      ? {}
      : {
          // statements of a transaction need not wait for each other's answers
          pipeline: true,
          onConnect: async (client) => void (await client.query(forSession(settings, access))),
        }),
  }
  const own = options.pool ? undefined : new pg.Pool(pool)
  if (own) logDeaths(own, log)
  const inside = found.isPooled ? { settings: forTransaction(settings, access) } : {}
  const limits = { ...options, maxConnections: connectionsOf(options) }
  const lender = own
    ? ownPool(own, inside.settings)
    : new HostPool(options.pool as pg.Pool, limits.maxConnections, forTransaction(settings, access))
  let standby: Standby | undefined
  try {
    const { readUrl, readTimeoutSeconds } = options
    if (readUrl !== undefined && access === 'write') {
      standby = await Standby.open({
        config: connectionConfig({ url: readUrl, ...(options.ssl === undefined ? {} : { ssl: options.ssl }) }, STANDBY),
        // as many as such reads have of the primary's
        max: Math.floor(limits.maxConnections / 2),
        readTimeoutSeconds,
        settings: forTransaction(settings, 'read'),
        system: await lent(lender, systemOf),
        log,
      })
    }
    const database = new PostgresDatabase(lender, postgresDialect(found.lower), limits, found, standby)
    const bringUp = async (given: MigrateOptions = {}) => {
      if (isCurrent(await lent(lender, namesIn(found.schema)), migrations, given)) return false
      return migrateBy({ ...pool, max: 2 }, found, { ...given, ...inside })
    }
    return { orm: writer(), database, migrate: bringUp, close: () => database.close().finally(() => own?.end()) }
  } catch (error) {
    await standby?.close()
    await own?.end()
    throw error
  }
}

let made: MikroORM | undefined

/** Writes statements and knows the columns, and never connects. All databases of a process share it, since it takes long to make. */
function writer(): MikroORM {
  made ??= new MikroORM({ dbName: 'none', entities })
  return made
}

/** Runs the migrations that have not run, on connections of their own. */
async function migrateBy(pool: PoolConfig, { name, schema }: FoundDatabase, given: MigrateOptions): Promise<boolean> {
  const { log = silentLog } = given
  const orm = new MikroORM({
    dbName: name,
    entities: [],
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    migrations: migrationSettings(migrations, schema),
    driverOptions: pool,
    colors: false,
    logger: (message) => log.debug(message),
  })
  try {
    return await migrate(orm, migrations, { ...given, progress: () => progressIn(orm) })
  } finally {
    await orm.close(true)
  }
}

/** How far the index is that is being built in this database, on a connection beside that of the migrations. */
export async function progressIn(orm: MikroORM): Promise<Progress | undefined> {
  const sql = `select "relid"::regclass::text as "table", "phase", case when "phase" like '%scanning table'
      then 100 * "blocks_done" / nullif("blocks_total", 0) else 100 * "tuples_done" / nullif("tuples_total", 0) end as "percent"
    from pg_stat_progress_create_index where "datname" = current_database() limit 1`
  const [row] = await orm.em.getConnection().execute(sql)
  if (row === undefined) return undefined
  const { table, phase, percent } = row
  return { table, phase, ...(percent === null ? {} : { done: `${percent} %` }) }
}

function namesIn(schema: string) {
  return async (client: pg.ClientBase) => (await executedIn(client, schema)).map(({ name }) => name)
}

/** Works on a connection and gives it back. */
async function lent<T>(lender: Lender, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await lender.connect()
  let failed = true
  try {
    const done = await work(client)
    failed = false
    return done
  } finally {
    lender.giveBack(client, failed)
  }
}

/** The name of the connections to a standby in `pg_stat_activity`. */
const STANDBY = 'mailwright reads'

/**
 * The settings of every connection, or behind a pooler of every transaction. Plans of prepared statements are made once, mostly while the tables are small, and
 * kept when they have grown: without sequential scans, they use indexes from the start. A process that hangs in a
 * transaction does not hold its locks for ever.
 */
function sessionSettings({ statementTimeoutSeconds }: PostgresOptions, { schema }: FoundDatabase): readonly string[] {
  return [
    `timezone to 'UTC'`,
    'enable_seqscan to off',
    'jit to off',
    `statement_timeout to ${Math.round(statementTimeoutSeconds * 1000)}`,
    `idle_in_transaction_session_timeout to ${IDLE_MS}`,
    `search_path to ${escapeIdentifier(schema)}`,
  ]
}

function forSession(settings: readonly string[], access: 'write' | 'read'): string {
  const readOnly = access === 'read' ? ['default_transaction_read_only to on'] : []
  // a statement outside a transaction takes the server's default, which its owner may have made stricter
  const isolation = `default_transaction_isolation to 'read committed'`
  return [...settings, isolation, ...readOnly].map((setting) => `set ${setting}`).join('; ')
}

function forTransaction(settings: readonly string[], access: 'write' | 'read'): string {
  const set = settings.map((setting) => `set local ${setting}`)
  return [...set, ...(access === 'read' ? ['set transaction read only'] : [])].join('; ')
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
