import type { MikroORM, SqlEntityManager } from '@mikro-orm/sqlite'
import { EngineError } from '../../core/errors.ts'
import { type Access, accessInside, type Database, type Params, type Session } from '../kit/sql/session.ts'
import type { HeldFile } from './open-file.ts'
import type { SqliteClient, SqliteStatement } from './sqlite-client.ts'
import { sqliteDialect } from './sqlite-dialect.ts'

/**
 * The one connection. Everyone gets it in turn, in the order of asking, the ORM included: a statement that slipped in
 * while a transaction is open would belong to that transaction.
 */
export class SqliteDatabase implements Database {
  readonly dialect = sqliteDialect
  /** The hold on the file. It lives as long as the database: collected, it would let go of the file. */
  readonly held: HeldFile
  readonly exclusive = true
  readonly #orm: MikroORM
  readonly #client: SqliteClient
  readonly #session: Session
  #last: Promise<unknown> = Promise.resolve()
  #closed = false

  constructor(orm: MikroORM, client: SqliteClient, held: HeldFile) {
    this.held = held
    this.#orm = orm
    this.#client = client
    this.#session = new SqliteSession(client)
  }

  read<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#turn(() => work(this.#session))
  }

  scan<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.read(work)
  }

  write<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#turn(async () => {
      const client = this.#client
      client.exec('begin immediate')
      try {
        const answer = await work(this.#session)
        client.exec('commit')
        return answer
      } catch (error) {
        // after some failures (a full disk) SQLite has rolled back already
        if (client.inTransaction) client.exec('rollback')
        throw error
      }
    })
  }

  attempt<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.write(work)
  }

  orm<T>(work: (em: SqlEntityManager) => Promise<T>): Promise<T> {
    return this.#turn(() => work(this.#orm.em.fork()))
  }

  transaction<T>(work: (inside: Access) => Promise<T>): Promise<T> {
    return this.#turn(() =>
      this.#orm.em.fork().transactional(async (em) => {
        // the ORM begins a transaction that only reads; this makes it one that writes, before it has read anything
        await this.#session.run('delete from "projects" where false', [])
        return work(accessInside(this.dialect, this.#session, em))
      }),
    )
  }

  /** Lets no one in any more and waits for those who are. Whoever comes later is told SERVICE_UNAVAILABLE. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#last
  }

  async #turn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new EngineError('SERVICE_UNAVAILABLE', 'The database is closed.')
    const turn = this.#last.then(work)
    this.#last = turn.then(nothing, nothing)
    return turn
  }
}

/** Prepared statements by text. */
class SqliteSession implements Session {
  readonly #client: SqliteClient
  readonly #statements = new Map<string, SqliteStatement>()

  constructor(client: SqliteClient) {
    this.#client = client
  }

  async all(sql: string, params: Params) {
    return this.#prepared(sql).all(params)
  }

  async run(sql: string, params: Params) {
    return this.#prepared(sql).run(params).changes
  }

  async runEach(sql: string, executions: readonly Params[]) {
    const statement = this.#prepared(sql)
    let written = 0
    for (const params of executions) written += statement.run(params).changes
    return written
  }

  #prepared(sql: string): SqliteStatement {
    const known = this.#statements.get(sql)
    if (known) return known
    const made = this.#client.prepare(sql)
    this.#statements.set(sql, made)
    return made
  }
}

function nothing(): void {}
