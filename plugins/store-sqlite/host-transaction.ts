import { realpathSync } from 'node:fs'
import { EngineError } from '../../core/errors.ts'
import { takeTurns } from '../../core/values/take-turns.ts'
import type { Params, Row, Session } from '../kit/sql/engine/session.ts'
import { isOfOwnCopy } from './host-handle.ts'
import type { HostHandle, HostStatement } from './sqlite-client.ts'

/**
 * Runs `work` on the host's own connection to the same file, inside the transaction it has open there, within a savepoint,
 * so that a failure leaves nothing and the host's transaction goes on. Another connection cannot take part in it.
 */
export function insideHost<T>(
  client: unknown,
  path: string,
  work: (session: Session, ended: Promise<void>) => Promise<T>,
): Promise<T> {
  if (!isHandle(client)) throw refused(`must be your handle of the database: ${WAYS}`)
  if (!isOfOwnCopy(client))
    throw refused(`is of another copy of SQLite, and two copies in a process lose each other's writes: give ${WAYS}`)
  return takeTurns(client, async () => {
    if (!client.open) throw refused('is closed: open it before')
    requireSameFile(client, path)
    if (!client.inTransaction) throw refused("has no transaction open: run 'begin immediate' on it before")
    client.exec('savepoint "mailwright"')
    try {
      const answer = await work(new HostSession(client), endOf(client))
      client.exec('release savepoint "mailwright"')
      return answer
    } catch (error) {
      // after some failures (a full disk), SQLite has rolled everything back by itself
      if (client.inTransaction) client.exec('rollback to savepoint "mailwright"; release savepoint "mailwright"')
      throw error
    }
  })
}

const WAYS =
  'what openHandle(file) of mailwright/plugins/store-sqlite answers, or a Database of the better-sqlite3 that mailwright has'

/** True for handles of other copies too, which are refused in words of their own. */
function isHandle(client: unknown): client is Handle {
  if (typeof client !== 'object' || client === null || !('prepare' in client) || !('exec' in client)) return false
  return 'inTransaction' in client || 'isTransaction' in client
}

/** A handle with what better-sqlite3 has beyond the host's part. */
interface Handle extends HostHandle {
  prepare(sql: string): HandleStatement
}

interface HandleStatement extends HostStatement {
  safeIntegers(on: boolean): unknown
}

function requireSameFile(client: Handle, path: string): void {
  const [main] = client.prepare(`select "file" from pragma_database_list where "name" = 'main'`).all() as Row[]
  const file = String(main?.file ?? '')
  if (file !== '' && realpathSync(file) === path) return
  throw refused(`has ${file === '' ? 'a database in memory' : file} open, and the engine's file is ${path}`)
}

class HostSession implements Session {
  readonly #client: Handle

  constructor(client: Handle) {
    this.#client = client
  }

  async all(sql: string, params: Params): Promise<readonly Row[]> {
    return this.#prepared(sql).all(...params) as Row[]
  }

  async run(sql: string, params: Params): Promise<number> {
    return Number(this.#prepared(sql).run(...params).changes)
  }

  async runEach(sql: string, executions: Iterable<Params>): Promise<number> {
    const statement = this.#prepared(sql)
    let written = 0
    for (const params of executions) written += Number(statement.run(...params).changes)
    return written
  }

  async allEach(sql: string, executions: readonly Params[]): Promise<readonly Row[]> {
    const statement = this.#prepared(sql)
    return executions.flatMap((params) => statement.all(...params) as Row[])
  }

  /** Numbers are numbers, whatever the host has set. */
  #prepared(sql: string): HandleStatement {
    const statement = this.#client.prepare(sql)
    statement.safeIntegers(false)
    return statement
  }
}

const ENDS = new WeakMap<object, Promise<void>>()

/** Resolves when no transaction is open any more. SQLite does not report commits, so the handle is polled. */
function endOf(client: Handle): Promise<void> {
  const known = ENDS.get(client)
  if (known) return known
  const ended = Promise.withResolvers<void>()
  ENDS.set(client, ended.promise)
  const look = setInterval(() => {
    // false also when the handle is closed, which ends its transaction
    if (client.inTransaction) return
    clearInterval(look)
    ENDS.delete(client)
    ended.resolve()
  }, LOOK_MS).unref()
  return ended.promise
}

/** How often a transaction of the host is looked at, in milliseconds. */
const LOOK_MS = 5

function refused(what: string): EngineError {
  return new EngineError('BAD_REQUEST', `client: ${what}`, {
    fields: [{ field: 'client', code: 'custom', message: what }],
  })
}
