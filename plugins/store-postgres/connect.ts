import { Client, type ClientConfig } from 'pg'
import { EngineError } from '../../core/errors.ts'
import type { Log } from '../../core/ports/log.ts'
import { connectionConfig } from '../kit/postgres/connection.ts'
import { isPooled } from '../kit/postgres/pooler.ts'
import { MIGRATIONS } from '../kit/sql/engine/migrate.ts'
import type { PostgresOptions } from './options.ts'
import { isTaken, isUnavailable, postgresCode } from './postgres-error.ts'

/** Where a database is, and the option that says so. */
export interface Place {
  readonly config: ClientConfig
  readonly schema: string | undefined
  readonly field: 'url' | 'pool'
}

/** The place that the options of a store name. `name` is shown in `pg_stat_activity`. */
export function placeOf(options: PostgresOptions, name: string): Place {
  return {
    config: connectionConfig(options, name),
    schema: options.schema,
    field: options.pool === undefined ? 'url' : 'pool',
  }
}

/** The facts to know about a database before it is opened. */
export interface FoundDatabase {
  readonly name: string
  /** The schema with the tables. */
  readonly schema: string
  /** Whether the schema has our tables, as far as the table of the migrations shows. */
  readonly isThere: boolean
  /** Whether a pooler is in between, which may run each transaction on another connection. */
  readonly isPooled: boolean
  /** The collation with JavaScript's lower case, as text to put after an expression. */
  readonly lower: string
}

/**
 * Connects once to inspect the database, makes the schema if it is missing (not for `read`), and runs `work` while this
 * connection makes every other engine that opens it wait. Connection errors become an EngineError `CONFIG_INVALID` or `SERVICE_UNAVAILABLE` of one
 * line, without the password.
 */
export function alone<T>(
  { config, schema, field }: Place,
  log: Log,
  work: (found: FoundDatabase) => Promise<T>,
  access: 'write' | 'read' = 'write',
): Promise<T> {
  return connected(config, field, async (client) => {
    const found = await look(client, schema)
    if (access === 'write') await makeSchema(client, found)
    await client.query('begin; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0')
    await takeTurn(client, found.schema, log)
    return work(found)
  })
}

/** Connects once to read, in a transaction that cannot write. Nothing is made, and no other engine waits. Errors are as of `alone`. */
export function reading<T>(
  { config, schema, field }: Place,
  work: (client: Client, found: FoundDatabase) => Promise<T>,
): Promise<T> {
  return connected(config, field, async (client) => {
    await client.query('begin isolation level read committed read only')
    return work(client, await look(client, schema))
  })
}

/** Connects once to do this work. Errors are as of `alone`, with the option that names the place. */
export async function connected<T>(
  config: ClientConfig,
  field: Place['field'] | 'readUrl',
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client(config)
  // if the connection breaks later, a statement fails as well and reports it
  client.on('error', () => {})
  try {
    await client.connect()
    return await work(client)
  } catch (error) {
    throw EngineError.is(error) ? error : unusable(client, field, error)
  } finally {
    await client.end()
  }
}

async function takeTurn(client: Client, schema: string, log: Log): Promise<void> {
  const { rows } = await client.query('select pg_try_advisory_xact_lock($1, hashtext($2)) as "got"', [LOCK, schema])
  if (rows[0]?.got === true) return
  log.info('another process is opening the database; waiting for it')
  await client.query('select pg_advisory_xact_lock($1, hashtext($2))', [LOCK, schema])
}

/** PostgreSQL's advisory locks are numbers; this one is ours ("mail" in ASCII). */
const LOCK = 0x6d61696c

/** The schema of new installations: in `public`, a host may have tables with the same names. */
const SCHEMA = 'mailwright'

/**
 * Finds the tables: in `schema`; without one, in the user's own schema, as earlier versions made them, else in `mailwright`.
 * Checks, before anything is made, that the encoding is UTF-8 and this version of PostgreSQL can do all that is needed.
 */
async function look(client: Client, schema: string | undefined): Promise<FoundDatabase> {
  const { rows } = await client.query<
    Record<'version' | 'encoding' | 'schema' | 'collation' | 'readonly', string | null>
  >(
    `select current_setting('server_version_num') as "version", current_setting('server_encoding') as "encoding",
      coalesce($1, case when to_regclass(quote_ident(current_schema()) || '.${MIGRATIONS}') is not null
        then current_schema() end, '${SCHEMA}') as "schema", pg_is_in_recovery()::text as "readonly",
      (select "collname" from "pg_collation" where "collname" in ('und-x-icu', 'pg_unicode_fast')
        order by "collname" desc limit 1) as "collation"`,
    [schema ?? null],
  )
  const [found] = rows
  if (Number(found?.version) < MIN_VERSION) throw refused(client, 'is older than PostgreSQL 13')
  if (found?.encoding !== 'UTF8') throw refused(client, `has the encoding ${found?.encoding}; it must be UTF8`)
  if (found.readonly === 'true') throw refused(client, 'can only be read: it is a standby of another server')
  const used = found.schema ?? SCHEMA
  const { rows: tables } = await client.query<{ isThere: boolean }>(
    `select exists (select 1 from "pg_tables" where "schemaname" = $1 and "tablename" = '${MIGRATIONS}') as "isThere"`,
    [used],
  )
  const lower = found.collation ? ` collate "${found.collation}"` : ''
  return {
    name: client.database ?? '',
    schema: used,
    isThere: tables[0]?.isThere === true,
    lower,
    isPooled: await isPooled(client),
  }
}

const MIN_VERSION = 130_000

/** Makes the schema, unless it is there. Throws EngineError `CONFIG_INVALID` with the statement that gives the right to. */
async function makeSchema(client: Client, { schema, isThere }: FoundDatabase): Promise<void> {
  if (isThere) return
  const { rows } = await client.query<{ mayMake: boolean; user: string }>(
    `select has_schema_privilege("oid", 'create, usage') as "mayMake", current_user as "user"
      from "pg_namespace" where "nspname" = $1`,
    [schema],
  )
  const [name, database] = [client.escapeIdentifier(schema), client.escapeIdentifier(client.database ?? '')]
  const user = client.escapeIdentifier(rows[0]?.user ?? client.user ?? '')
  if (rows[0]?.mayMake === true) return
  if (rows[0]) {
    const grant = `grant usage, create on schema ${name} to ${user}`
    throw refused(client, `does not let this user make tables in the schema ${name}; as its owner, run: ${grant}`)
  }
  try {
    await client.query(`create schema if not exists ${name}`)
  } catch (error) {
    // another process has just made it
    if (isTaken(error)) return
    if (postgresCode(error) !== '42501') throw error
    const grant = `create schema ${name} authorization ${user}`
    const wider = `grant create on database ${database} to ${user}`
    throw refused(
      client,
      `does not let this user make the schema ${name}; as its owner, run: ${grant}; or: ${wider}`,
      error,
    )
  }
}

/** Names the database, without the password. */
function nameOf(client: Client): string {
  const { host, port, database, user } = client
  const where = host.startsWith('/') ? host : `${host}:${port}`
  return `database ${JSON.stringify(database)} of ${where} (user ${JSON.stringify(user)})`
}

/** Why a database that answers cannot be used. */
export class Refusal extends Error {}

/** The refusal of this database, which it names. */
export function refused(client: Client, reason: string, cause?: unknown): Refusal {
  return new Refusal(`${nameOf(client)} ${reason}`, { cause })
}

/** Says in one line why the database cannot be opened. */
function unusable(client: Client, option: Place['field'] | 'readUrl', error: unknown): EngineError {
  const field = `store.options.${option}`
  const problem = error instanceof Refusal ? error : problemOf(client, error)
  const { message, cause } = problem
  if (!(problem instanceof Refusal)) {
    return new EngineError('SERVICE_UNAVAILABLE', `${field}: ${message}`, { cause, retryAfter: 5 })
  }
  const fields = [{ field, code: 'custom', message } as const]
  return new EngineError('CONFIG_INVALID', `${field}: ${message}`, { fields, cause })
}

function problemOf(client: Client, cause: unknown): Error {
  const code = postgresCode(cause) ?? ''
  const reason = REASONS[code]
  if (reason !== undefined) return refused(client, reason, cause)
  if (cause instanceof Error && NO_TLS.test(cause.message)) return refused(client, 'does not speak TLS', cause)
  const said = cause instanceof Error && cause.message !== '' ? cause.message : code
  if (!isUnavailable(cause)) return refused(client, `cannot be used: ${said}`, cause)
  return new Error(`${nameOf(client)} cannot be reached: ${said}. Is PostgreSQL running there?`, { cause })
}

const NO_TLS = /does not support SSL/

const REASONS: Readonly<Record<string, string>> = {
  '28P01': 'does not accept this password, or does not know the user',
  '28000': 'does not let this user in',
  '3D000': 'does not exist; make it with createdb',
  '42501': 'does not let this user make tables; grant create on its schema',
  ENOTFOUND: 'cannot be found: no such host',
}
