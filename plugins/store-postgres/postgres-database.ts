import type { PoolClient, QueryResult } from 'pg'
import { EngineError } from '../../core/errors.ts'
import type { ProjectId } from '../../core/values/project-id.ts'
import { yieldToLoop } from '../../core/values/yield-to-loop.ts'
import { type Access, accessInside, type Database, type Joined } from '../kit/sql/engine/access.ts'
import type { Dialect } from '../kit/sql/engine/dialect.ts'
import { FairQueue } from '../kit/sql/engine/fair-queue.ts'
import { readTookTooLong } from '../kit/sql/engine/long-read.ts'
import { proveWrites } from '../kit/sql/engine/prove-writes.ts'
import { allEnded, type Params, type Row, type Session } from '../kit/sql/engine/session.ts'
import type { FoundDatabase } from './connect.ts'
import { insideHost } from './host-transaction.ts'
import type { Lender } from './lender.ts'
import { isBehindFailure, isLate, isLostRace, isLostWrite, isUnavailable } from './postgres-error.ts'
import type { Standby } from './standby.ts'
import { numbered, Statements } from './statements.ts'

/**
 * A pool of connections. Every call has its own while it works. A connection that failed is not used again, so that a
 * restart of PostgreSQL costs only the calls it interrupted.
 */
export class PostgresDatabase implements Database {
  readonly dialect: Dialect
  readonly exclusive = false
  readonly #lender: Lender
  readonly #statements: Statements
  readonly #calls = new Set<Promise<unknown>>()
  readonly #limits: ReadLimits
  readonly #schema: string
  readonly #line: FairQueue
  readonly #standby: Standby | undefined
  #closed = false
  /** Whether a write was lost since one was last proven to be kept. */
  #failed = false

  constructor(
    lender: Lender,
    dialect: Dialect,
    limits: ReadLimits,
    { schema, isPooled }: FoundDatabase,
    standby?: Standby,
  ) {
    this.#standby = standby
    this.#statements = new Statements({ areNamed: !isPooled })
    this.#schema = schema
    this.dialect = dialect
    this.#lender = lender
    this.#limits = limits
    // half of the connections are left for everything else, and half of the other half for other projects
    const places = Math.floor(limits.maxConnections / 2)
    const placesOfOne = Math.ceil(places / 2)
    this.#line = new FairQueue({ places, placesOfOne, patienceMs: limits.readTimeoutSeconds * 1000 })
  }

  read<T>(work: (session: Session) => Promise<T>): Promise<T> {
    if (this.#lender.settings === undefined) return this.#lend((client) => work(this.#session(client)))
    return this.#lend((client) => this.#transact(client, (begun) => work(this.#session(client, begun))))
  }

  scan<T>(projectId: ProjectId, work: (session: Session) => Promise<T>): Promise<T> {
    return this.#line.run(projectId, async () => {
      const answer = await this.#standby?.scan(
        () => this.#lend(positionOf),
        (client, settings) => this.#limited(client, work, settings),
      )
      return answer === undefined ? this.#lend((client) => this.#inTime(client, work)) : answer.value
    })
  }

  write<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#again((client) => this.#transact(client, (begun) => work(this.#session(client, begun))))
  }

  /** A lender with settings sends them with the begin. */
  writeOnce<T>(work: (session: Session) => Promise<T>): Promise<T> {
    if (this.#lender.settings !== undefined) return this.write(work)
    return this.#again((client) => work(new OneStatement(this.#session(client))))
  }

  /**
   * The log is written in order, so the next commit that waits for the disk takes this one along. With a standby it waits
   * itself: a standby gets only what the disk has, and its reads must not be older than those of the primary.
   */
  background<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const more = this.#standby === undefined ? UNSYNCED : ''
    return this.#again((client) => this.#transact(client, (begun) => work(this.#session(client, begun)), more))
  }

  attempt<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.write(work)
  }

  transaction<T>(work: (inside: Access) => Promise<T>): Promise<T> {
    return this.#lend((client) =>
      this.#transact(client, (begun) => {
        const [session, scanning] = [this.#session(client, begun), this.#scanning(client, begun)]
        return work(accessInside(this.dialect, session, scanning))
      }),
    )
  }

  async join<T>(client: unknown, work: (host: Joined) => Promise<T>): Promise<T> {
    if (this.#closed)
      throw new EngineError('SERVICE_UNAVAILABLE', 'The database is closed, since the engine was stopped.')
    return insideHost(client, this.#schema, (session, ended) =>
      work({ inside: accessInside(this.dialect, session), session, ended }),
    )
  }

  async check(): Promise<void> {
    await proveWrites(this, this.#failed ? 'failure' : 'success')
    this.#failed = false
  }

  /** Refuses new calls with SERVICE_UNAVAILABLE and waits for those under way. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.allSettled(this.#calls)
    await this.#standby?.close()
  }

  /** PostgreSQL ends one of two transactions that wait for each other. The one it undid is run again. */
  async #again<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#lend(work)
      } catch (error) {
        if (tries === MAX_TRIES || !isLostRace(error)) throw error
      }
    }
  }

  #transact<T>(client: PoolClient, work: (begun: Promise<unknown>) => Promise<T>, more = ''): Promise<T> {
    const { settings } = this.#lender
    return transact(client, work, (settings === undefined ? '' : `; ${settings}`) + more)
  }

  #session(client: PoolClient, begun?: Promise<unknown>): Session {
    return new PostgresSession(client, (sql) => this.#statements.prepared(sql), begun)
  }

  /**
   * Prepares nothing, or the server would keep the text of every filter ever used, and plans that ignore the values.
   */
  #scanning(client: PoolClient, begun?: Promise<unknown>): Session {
    return new PostgresSession(client, (sql) => ({ text: numbered(sql) }), begun)
  }

  /** The limit is set for a transaction, so that it is gone when the connection is used for something else. */
  async #inTime<T>(client: PoolClient, work: (session: Session) => Promise<T>): Promise<T> {
    const { readTimeoutSeconds, statementTimeoutSeconds } = this.#limits
    const session = this.#scanning(client)
    const isLimited = statementTimeoutSeconds > 0 && statementTimeoutSeconds <= readTimeoutSeconds
    if (isLimited && this.#lender.settings === undefined) return work(session)
    if (isLimited) return this.#transact(client, () => work(session))
    return this.#limited(client, work, this.#lender.settings)
  }

  async #limited<T>(
    client: PoolClient,
    work: (session: Session) => Promise<T>,
    settings: string | undefined,
  ): Promise<T> {
    const { readTimeoutSeconds } = this.#limits
    const limit = `set local statement_timeout to ${Math.round(readTimeoutSeconds * 1000)}`
    const before = settings === undefined ? '' : `; ${settings}`
    try {
      return await transact(client, (begun) => work(this.#scanning(client, begun)), `${before}; ${limit}`)
    } catch (error) {
      throw isLate(error) ? readTookTooLong(readTimeoutSeconds, error) : error
    }
  }

  async #lend<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    if (this.#closed)
      throw new EngineError('SERVICE_UNAVAILABLE', 'The database is closed, since the engine was stopped.')
    const call = this.#withClient(work)
    this.#calls.add(call)
    try {
      return await call
    } finally {
      this.#calls.delete(call)
    }
  }

  async #withClient<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#lender.connect()
    let broken = false
    try {
      return await work(client)
    } catch (error) {
      broken = isUnavailable(error)
      if (isLostWrite(error)) this.#failed = true
      throw error
    } finally {
      this.#lender.giveBack(client, broken || isUnfinished(client))
    }
  }
}

/** The place in the log of the primary up to which everything committed stands before now. */
async function positionOf(client: PoolClient): Promise<string> {
  const { rows } = await client.query(
    `select (case current_setting('synchronous_commit') when 'off' then pg_current_wal_insert_lsn()
      else pg_current_wal_flush_lsn() end)::text as "position"`,
  )
  return rows[0]?.position
}

/** An older pg of the host does not say so. */
function isUnfinished(client: Partial<Pick<PoolClient, 'getTransactionStatus'>>): boolean {
  const status = client.getTransactionStatus?.()
  return status !== undefined && status !== 'I'
}

/** The options about long reads. */
export interface ReadLimits {
  readonly maxConnections: number
  readonly statementTimeoutSeconds: number
  readonly readTimeoutSeconds: number
}

/** Its commit does not wait for the disk. */
const UNSYNCED = '; set local synchronous_commit to off'

/** How often a transaction that PostgreSQL has undone is run. */
const MAX_TRIES = 4

/**
 * `settings` is SQL sent with the begin, each statement after a semicolon. Where the connection is pipelined, `work` starts at
 * once, and a read need not wait until `begun`.
 */
async function transact<T>(
  client: PoolClient,
  work: (begun: Promise<unknown>) => Promise<T>,
  settings = '',
): Promise<T> {
  const begun = client.query(`begin isolation level read committed${settings}`)
  // thrown where it is waited for
  begun.catch(() => {})
  if (!client.pipeline) await begun
  try {
    const answer = await work(begun)
    await begun
    const { command } = await client.query('commit')
    // PostgreSQL answers the commit of a transaction with a failed statement by rolling back
    if (command !== 'COMMIT')
      throw new Error('a statement of the transaction failed, so that nothing of it was written')
    return answer
  } catch (error) {
    // if this fails as well, the connection is not used again
    await client.query('rollback').catch(() => {})
    throw error
  }
}

/** A parameter of this many characters blocks the event loop noticeably. */
const LONG_PARAMETER = 1024 * 1024

/** `statement` turns a text into what is sent. One with a name is prepared once on every connection. */
class PostgresSession implements Session {
  readonly #client: PoolClient
  readonly #statement: (sql: string) => { readonly name?: string; readonly text: string }
  readonly isPipelined: boolean
  /** The begin of the transaction, until it has been answered. */
  #begun: Promise<unknown> | undefined
  /** The error of the last statement, if it failed. */
  #failure: unknown

  constructor(
    client: PoolClient,
    statement: (sql: string) => { readonly name?: string; readonly text: string },
    begun?: Promise<unknown>,
  ) {
    this.#client = client
    this.#statement = statement
    this.isPipelined = client.pipeline === true
    this.#begun = begun
  }

  async all(sql: string, params: Params): Promise<readonly Row[]> {
    return (await this.#query(sql, params)).rows
  }

  async run(sql: string, params: Params): Promise<number> {
    return (await this.#query(sql, params)).rowCount ?? 0
  }

  async runEach(sql: string, executions: Iterable<Params>): Promise<number> {
    const under: Promise<number>[] = []
    for (const params of executions) {
      const running = this.run(sql, params)
      // thrown where all are waited for
      running.catch(() => {})
      under.push(running)
      if (!this.isPipelined) await running
    }
    let written = 0
    for (const each of await allEnded(under)) written += each
    return written
  }

  async allEach(sql: string, executions: readonly Params[]): Promise<readonly Row[]> {
    const rows: Row[] = []
    for (const params of executions) rows.push(...(await this.all(sql, params)))
    return rows
  }

  /** A write waits for the begin: if that had failed, the write would be committed by itself. */
  async #query(sql: string, params: Params): Promise<QueryResult<Row>> {
    const begun = this.#begun
    if (begun === undefined) return this.#send(sql, params)
    if (!sql.startsWith('select')) await begun
    const sent = this.#send(sql, params)
    // if the begin has failed, that is the reason why this one does
    sent.catch(() => {})
    await begun
    this.#begun = undefined
    return sent
  }

  async #send(sql: string, params: Params): Promise<QueryResult<Row>> {
    // writing it takes as long as making it did
    if (params.some((value) => typeof value === 'string' && value.length > LONG_PARAMETER)) await yieldToLoop()
    const query = params.length === 0 ? { text: sql } : { ...this.#statement(sql), values: [...params] }
    try {
      const answer = await this.#client.query({ ...query, types: AS_TEXT })
      this.#failure = undefined
      return answer
    } catch (error) {
      // one that was sent behind another that failed fails as well, and does not say why
      if (this.#failure === undefined || !isBehindFailure(error)) this.#failure = error
      throw this.#failure
    }
  }
}

/** The session of `writeOnce`. A second statement would be another transaction, so it is refused. */
class OneStatement implements Session {
  readonly #session: Session
  #ran = false

  constructor(session: Session) {
    this.#session = session
  }

  all(sql: string, params: Params): Promise<readonly Row[]> {
    this.#refuseSecond(1)
    return this.#session.all(sql, params)
  }

  run(sql: string, params: Params): Promise<number> {
    this.#refuseSecond(1)
    return this.#session.run(sql, params)
  }

  runEach(sql: string, executions: Iterable<Params>): Promise<number> {
    const all = [...executions]
    this.#refuseSecond(all.length)
    return this.#session.runEach(sql, all)
  }

  allEach(sql: string, executions: readonly Params[]): Promise<readonly Row[]> {
    this.#refuseSecond(executions.length)
    return this.#session.allEach(sql, executions)
  }

  #refuseSecond(executions: number): void {
    if (this.#ran || executions > 1) throw new Error('writeOnce() runs one statement: use write() for several')
    this.#ran = true
  }
}

const AS_TEXT = { getTypeParser: () => (text: string | Buffer) => text }
