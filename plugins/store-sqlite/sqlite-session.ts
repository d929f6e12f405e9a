import { Pace } from '../../core/values/pace.ts'
import { RecentlyUsed } from '../../core/values/recently-used.ts'
import type { Params, Row, Session } from '../kit/sql/engine/session.ts'
import type { SqliteClient, SqliteStatement } from './sqlite-client.ts'

/** A connection, with its prepared statements by text. */
export class SqliteSession implements Session {
  readonly #statements: Statements
  /** Makes a transaction of many statements yield to the event loop in between. */
  readonly #pace = new Pace()
  #forgets = false

  constructor(client: SqliteClient) {
    this.#statements = new Statements(client)
  }

  forget(): void {
    this.#forgets = true
  }

  /** Whether the transaction that has just ended is to be forgotten; the next one begins anew. */
  takeForget(): boolean {
    const forgets = this.#forgets
    this.#forgets = false
    return forgets
  }

  /** Yields to the event loop when this connection has worked long. */
  async rest(): Promise<void> {
    if (this.#pace.isDue) await this.#pace.rest()
  }

  async all(sql: string, params: Params) {
    if (this.#pace.isDue) await this.#pace.rest()
    return this.#statements.prepared(sql).all(params)
  }

  async run(sql: string, params: Params) {
    if (this.#pace.isDue) await this.#pace.rest()
    return this.#statements.prepared(sql).run(params).changes
  }

  async runEach(sql: string, executions: Iterable<Params>) {
    const statement = this.#statements.prepared(sql)
    let written = 0
    for (const params of executions) {
      // rows may be large, and their triggers slow
      if (this.#pace.isDue) await this.#pace.rest()
      written += statement.run(params).changes
    }
    return written
  }

  async allEach(sql: string, executions: readonly Params[]) {
    const statement = this.#statements.prepared(sql)
    const rows: Row[] = []
    for (const params of executions) {
      if (this.#pace.isDue) await this.#pace.rest()
      rows.push(...statement.all(params))
    }
    return rows
  }
}

/** Prepared statements by text. Filters make ever new texts, so only those last used are kept. */
export class Statements {
  readonly #client: SqliteClient
  readonly #known = new RecentlyUsed<SqliteStatement>(MAX_STATEMENTS, MAX_CHARACTERS, (sql) => sql.length)

  constructor(client: SqliteClient) {
    this.#client = client
  }

  prepared(sql: string): SqliteStatement {
    const known = this.#known.get(sql)
    if (known) return known
    const made = this.#client.prepare(sql)
    this.#known.set(sql, made)
    return made
  }
}

const MAX_STATEMENTS = 500
const MAX_CHARACTERS = 1_000_000
