import { RecentlyUsed } from '../../core/values/recently-used.ts'
import { turn } from '../../core/values/turn.ts'
import type { Params, Session } from '../kit/sql/session.ts'
import type { SqliteClient, SqliteStatement } from './sqlite-client.ts'

/** A connection, with its prepared statements by text. */
export class SqliteSession implements Session {
  readonly #statements: Statements

  constructor(client: SqliteClient) {
    this.#statements = new Statements(client)
  }

  async all(sql: string, params: Params) {
    return this.#statements.prepared(sql).all(params)
  }

  async run(sql: string, params: Params) {
    return this.#statements.prepared(sql).run(params).changes
  }

  async runEach(sql: string, executions: readonly Params[]) {
    const statement = this.#statements.prepared(sql)
    let written = 0
    let began = performance.now()
    for (const params of executions) {
      written += statement.run(params).changes
      if (performance.now() - began < LONGEST_MS) continue
      // rows may be large, and their triggers slow: the transaction goes on when others of the process have had their turn
      await turn()
      began = performance.now()
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

/** So long the event loop is kept in one turn. */
const LONGEST_MS = 10

const MOST = 500
const MOST_TEXT = 1_000_000
