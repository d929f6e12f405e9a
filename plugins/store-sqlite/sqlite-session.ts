import { Pace } from '../../core/values/pace.ts'
import { RecentlyUsed } from '../../core/values/recently-used.ts'
import type { Params, Session } from '../kit/sql/engine/session.ts'
import type { SqliteClient, SqliteStatement } from './sqlite-client.ts'

/** A connection, with its prepared statements by text. */
export class SqliteSession implements Session {
  readonly #statements: Statements
  /** A transaction of many statements goes on when others of the process have had their turn, too. */
  readonly #pace = new Pace()

  constructor(client: SqliteClient) {
    this.#statements = new Statements(client)
  }

  /** Lets others have their turn when this connection has worked long. */
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

  async runEach(sql: string, executions: readonly Params[]) {
    const statement = this.#statements.prepared(sql)
    let written = 0
    for (const params of executions) {
      // rows may be large, and their triggers slow
      if (this.#pace.isDue) await this.#pace.rest()
      written += statement.run(params).changes
    }
    return written
  }
}

/** Prepared statements by text; filters make texts of their own, so that only those used last are kept. */
export class Statements {
  readonly #client: SqliteClient
  readonly #known = new RecentlyUsed<SqliteStatement>(MOST, MOST_TEXT, (sql) => sql.length)

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

const MOST = 500
const MOST_TEXT = 1_000_000
