import { type Client, escapeIdentifier, type QueryResult } from 'pg'
import { EngineError } from '../../core/errors.ts'
import { takeTurns } from '../../core/values/take-turns.ts'
import { MIGRATIONS } from '../kit/sql/engine/migrate.ts'
import type { Params, Row, Session } from '../kit/sql/engine/session.ts'
import { postgresCode } from './postgres-error.ts'
import { numbered } from './statements.ts'

/**
 * Runs `work` inside the transaction that the host has open on `client`, within a savepoint, so that a failure leaves
 * nothing and the host's transaction goes on. The settings our statements need are set meanwhile.
 */
export function insideHost<T>(
  client: unknown,
  schema: string,
  work: (session: Session, ended: Promise<void>) => Promise<T>,
): Promise<T> {
  if (!isClient(client))
    throw refused('must be a client of pg with a transaction of yours: it has no query(text, values)')
  if (isPool(client)) throw refused('is a pool: a transaction needs one connection, which pool.connect() answers')
  return takeTurns(client, async () => {
    const status = isPgClient(client) ? client.getTransactionStatus?.() : undefined
    // a statement would wait until it is connected, if ever
    if (status === null) throw refused("is not connected: run connect() and 'begin' on it before")
    if (status === 'I') throw refused(NO_TRANSACTION)
    const session = new HostSession(client)
    await begin(session)
    try {
      const before = await settle(session, schema)
      const answer = await work(session, endOf(client))
      await session.all(RESTORE, before)
      await session.run('release savepoint "mailwright"', [])
      return answer
    } catch (error) {
      // if this fails as well, the connection is gone, and the transaction with it
      await session.run('rollback to savepoint "mailwright"', []).catch(() => {})
      await session.run('release savepoint "mailwright"', []).catch(() => {})
      throw error
    }
  })
}

async function begin(session: Session): Promise<void> {
  try {
    await session.run('savepoint "mailwright"', [])
  } catch (error) {
    throw postgresCode(error) === NO_ACTIVE_TRANSACTION ? refused(NO_TRANSACTION, error) : error
  }
}

const NO_ACTIVE_TRANSACTION = '25P01'
const NO_TRANSACTION = "has no transaction open: run 'begin' on it before"

/** Sets what every session of ours has. Answers what was set before. */
async function settle(session: Session, schema: string): Promise<Params> {
  const quoted = escapeIdentifier(schema)
  const [row] = await session.all(SETTLE, [`${quoted}."${MIGRATIONS}"`, quoted])
  if (row?.ours !== 't') throw refused(`is connected to a database without this engine's tables (schema ${quoted})`)
  return [row.path, row.zone, row.style, row.bytes]
}

/** The first part is read before the second is set. */
const SETTLE = `with "was" as materialized (select current_setting('search_path') as "path",
    current_setting('TimeZone') as "zone", current_setting('DateStyle') as "style", current_setting('bytea_output') as "bytes")
  select "was".*, to_regclass(?) is not null as "ours", set_config('search_path', ?, true),
    set_config('TimeZone', 'UTC', true), set_config('DateStyle', 'ISO', true), set_config('bytea_output', 'hex', true)
  from "was"`

const RESTORE = `select set_config('search_path', ?, true), set_config('TimeZone', ?, true),
  set_config('DateStyle', ?, true), set_config('bytea_output', ?, true)`

/** The part of a host's connection that is needed. */
interface HostClient {
  query(text: string, values: unknown[]): Promise<Partial<QueryResult<Row>>>
}

function isClient(client: unknown): client is HostClient {
  return typeof client === 'object' && client !== null && 'query' in client && typeof client.query === 'function'
}

function isPgClient(client: object): client is Client {
  return 'getTypeParser' in client && 'on' in client
}

function isPool(client: object): boolean {
  return 'totalCount' in client && 'idleCount' in client
}

/** Prepares nothing, since names of statements are the host's. */
class HostSession implements Session {
  readonly #client: HostClient

  constructor(client: HostClient) {
    this.#client = client
  }

  async all(sql: string, params: Params): Promise<readonly Row[]> {
    return (await this.#query(sql, params)).rows
  }

  async run(sql: string, params: Params): Promise<number> {
    return (await this.#query(sql, params)).rowCount
  }

  async runEach(sql: string, executions: Iterable<Params>): Promise<number> {
    let written = 0
    for (const params of executions) written += await this.run(sql, params)
    return written
  }

  async allEach(sql: string, executions: readonly Params[]): Promise<readonly Row[]> {
    const rows: Row[] = []
    for (const params of executions) rows.push(...(await this.all(sql, params)))
    return rows
  }

  /** The values of rows as the server's texts, whatever parsers the host has set. */
  async #query(sql: string, params: Params): Promise<{ readonly rows: readonly Row[]; readonly rowCount: number }> {
    const text = numbered(sql)
    const client = this.#client
    if (isPgClient(client)) {
      const { rows, rowCount } = await client.query<Row>({ text, values: [...params], types: AS_TEXT })
      return { rows, rowCount: rowCount ?? 0 }
    }
    const { rows, rowCount } = await client.query(text, [...params])
    if (!Array.isArray(rows)) throw refused("answers its queries without { rows, rowCount }, as pg's clients do")
    return { rows: rows.map(withTexts), rowCount: rowCount ?? rows.length }
  }
}

const AS_TEXT = { getTypeParser: () => (text: string | Buffer) => text }

function withTexts(row: Row): Row {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, textOf(value)]))
}

/** The server's text of a value that a driver has read with the parsers that pg has by itself. */
function textOf(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString().replace('T', ' ').replace('Z', '+00')
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`
  if (typeof value === 'boolean') return value ? 't' : 'f'
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value
}

const ENDS = new WeakMap<object, Promise<void>>()

/** Resolves when the connection is idle outside of any transaction, or closed. */
function endOf(client: HostClient): Promise<void> {
  const known = ENDS.get(client)
  if (known) return known
  const ended = Promise.withResolvers<void>()
  if (isPgClient(client) && client.getTransactionStatus !== undefined) {
    const look = () => {
      if (client.getTransactionStatus() === 'I') end()
    }
    const end = () => {
      ENDS.delete(client)
      client.off('drain', look)
      client.off('end', end)
      ended.resolve()
    }
    // emitted whenever the connection has nothing more to do, as after a commit
    client.on('drain', look)
    client.on('end', end)
    ENDS.set(client, ended.promise)
  }
  return ended.promise
}

function refused(what: string, cause?: unknown): EngineError {
  return new EngineError('BAD_REQUEST', `client: ${what}`, {
    fields: [{ field: 'client', code: 'custom', message: what }],
    cause,
  })
}
