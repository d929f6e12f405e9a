import type { Transaction } from '@mikro-orm/core'
import type { MikroORM } from '@mikro-orm/sql'
import { EngineError } from '../../../../core/errors.ts'
import { type Log, silentLog } from '../../../../core/ports/log.ts'
import { programName } from '../../../../core/values/program-name.ts'
import { isCopyMark } from './copy-mark.ts'
import { byKnownNames, type KnownMigration, renamings } from './known-names.ts'

/**
 * The ORM migrator's settings: its own table (in this schema, if given), the list from code, no files read or written.
 */
export function migrationSettings(migrationsList: readonly KnownMigration[], schema?: string) {
  const tableName = schema === undefined ? MIGRATIONS : `${schema}.${MIGRATIONS}`
  return { tableName, migrationsList: [...migrationsList], snapshot: false, silent: true, disableForeignKeys: false }
}

/** The table of the migrations that have run. */
export const MIGRATIONS = 'mailwright_migrations'

/** The purpose of bringing the schema up to date, and where its progress is reported. */
export interface MigrateOptions {
  /** Default `serve`. */
  readonly purpose?: 'serve' | 'copy'
  readonly log?: Log
  /** SQL at the begin of the transaction, for connections that keep no settings. */
  readonly settings?: string
  /** How far the statement is that runs now, where the database can tell; it must not wait for that statement. */
  readonly progress?: (() => Promise<Progress | undefined>) | undefined
  /** How often the log says that a migration still runs, in milliseconds. Default ten seconds. */
  readonly stillMs?: number
}

/** How far the building of an index is. */
export interface Progress {
  readonly table: string
  /** The part of the work, such as `building index: scanning table`. */
  readonly phase: string
  /** How much of that part is done, such as `43 %`. */
  readonly done?: string
}

/**
 * Brings the schema up to this program's version, in one transaction, after another that writes the names of this version
 * into a database of an unreleased one. Throws EngineError, with nothing changed: `STORE_NEWER` when the database has
 * migrations this program does not know, `SERVICE_UNAVAILABLE` when a migration fails, `STORE_LOCKED` when the database
 * holds an unfinished copy, unless `purpose` is `copy`. The caller keeps other processes out meanwhile. Logs each migration and how long it took, since a start may wait for it; on an empty database there
 * are many and none is slow. Answers whether the database was empty.
 */
export async function migrate(
  orm: MikroORM,
  known: readonly KnownMigration[],
  options: MigrateOptions = {},
): Promise<boolean> {
  const names = (await orm.migrator.getExecuted()).map(({ name }) => name)
  const isOlder = isBehind(names, known, options)
  const renamed = renamings(MIGRATIONS, names, known)
  if (renamed.length > 0) {
    await inTransaction(orm, options.settings, async (transaction) => {
      for (const sql of renamed) await orm.em.getConnection().execute(sql, [], 'run', transaction)
    })
  }
  if (isOlder) await bringUp(orm, names.length === 0 ? { ...options, log: silentLog } : options)
  return names.length === 0
}

/** Whether a database with these migrations is as `migrate` would leave it. Throws as that does. */
export function isCurrent(
  names: readonly string[],
  known: readonly KnownMigration[],
  options: MigrateOptions,
): boolean {
  return !isBehind(names, known, options) && renamings(MIGRATIONS, names, known).length === 0
}

/** Whether a database with these migrations lacks some that are known. Throws as `migrate` does. */
export function isBehind(
  names: readonly string[],
  known: readonly KnownMigration[],
  { purpose = 'serve' }: MigrateOptions,
): boolean {
  const own = names.filter((name) => !isCopyMark(name))
  const executed = namesToday(own, known)
  if (purpose === 'serve' && own.length < names.length) {
    throw new EngineError(
      'STORE_LOCKED',
      `The database holds an unfinished copy of another one: run \`${programName()} copy\` again, which continues it.`,
    )
  }
  return executed.length < known.length
}

/** The executed migrations by the names of this version. Throws STORE_NEWER when one is unknown. */
export function namesToday(executed: readonly string[], known: readonly KnownMigration[]): readonly string[] {
  const names = new Set(known.map(({ name }) => name))
  const today = byKnownNames(
    executed.map((name) => ({ name })),
    known,
  ).map(({ name }) => name)
  const first = today.find((name) => !names.has(name))
  if (first === undefined) return today
  throw new EngineError(
    'STORE_NEWER',
    `The database was written by a newer version of Mailwright: it has the migration ${first}, which this version does not know. Nothing was changed.`,
    { suggestion: 'Start the newer version again, or use another database.' },
  )
}

/**
 * Runs the migrations that have not run, in one transaction that begins with `settings`. The log counts them, and says every
 * ten seconds that one still runs and how far it is, as far as the database leaves the event loop free.
 */
export async function bringUp(orm: MikroORM, options: MigrateOptions = {}): Promise<void> {
  const { log = silentLog, settings, progress, stillMs = STILL_MS } = options
  let current = ''
  let began = 0
  let step = 0
  let isRunning = false
  const steps = (await orm.migrator.getPending()).length
  const seconds = () => Math.round(performance.now() - began) / 1000
  let still: NodeJS.Timeout | undefined
  orm.migrator.on('migrating', ({ name }) => {
    current = name
    began = performance.now()
    log.info('a migration of the database runs', { migration: name, step: `${++step} of ${steps}` })
    still = setInterval(async () => {
      const of = step
      const far = await progress?.().catch(() => undefined)
      if (of === step && isRunning) {
        log.info('a migration of the database still runs', { migration: name, seconds: seconds(), ...far })
      }
    }, stillMs)
    isRunning = true
  })
  orm.migrator.on('migrated', ({ name }) => {
    clearInterval(still)
    isRunning = false
    log.info('a migration of the database has run', { migration: name, seconds: seconds() })
  })
  try {
    if (settings === undefined) await orm.migrator.up()
    else await inTransaction(orm, settings, (transaction) => orm.migrator.up({ transaction }))
  } catch (cause) {
    throw notBroughtUp(cause, current)
  } finally {
    clearInterval(still)
    isRunning = false
  }
}

const STILL_MS = 10_000

/** Works in a transaction that begins with `settings`. */
function inTransaction(
  orm: MikroORM,
  settings: string | undefined,
  work: (transaction: Transaction) => Promise<unknown>,
): Promise<void> {
  const connection = orm.em.getConnection()
  return connection.transactional(async (transaction) => {
    if (settings !== undefined) await connection.execute(settings, [], 'run', transaction)
    await work(transaction)
  })
}

/** Says why a migration failed. */
export function notBroughtUp(cause: unknown, migration: string): EngineError {
  const reason = reasonOf(cause)
  if (ALREADY_THERE.test(reason)) {
    return new EngineError(
      'CONFIG_INVALID',
      `store.options: the database has a table of another program under a name that is needed: ${reason}. Nothing was changed.`,
      { cause, suggestion: 'Name another schema in store.options.schema, with SQLite another file.' },
    )
  }
  return new EngineError(
    'SERVICE_UNAVAILABLE',
    `The database could not be brought up to date: the migration ${migration} failed: ${reason}. Nothing was changed.`,
    { cause, suggestion: 'Fix the cause and start again, or keep running the older version.' },
  )
}

const ALREADY_THERE = /^(?:relation|table|function|type) \S+ already exists/

/** The database's own message, in one line. The ORM puts the statement in front of it. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const said = error.cause ?? ('previous' in error ? error.previous : undefined)
  return said instanceof Error ? reasonOf(said) : error.message.replace(/\s+/g, ' ')
}
