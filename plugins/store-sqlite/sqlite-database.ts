import type { MikroORM, SqlEntityManager } from '@mikro-orm/sqlite'
import { EngineError } from '../../core/errors.ts'
import { turn } from '../../core/values/turn.ts'
import { type Access, accessInside, type Database, type Session } from '../kit/sql/session.ts'
import type { HeldFile } from './open-file.ts'
import type { SqliteClient, SqliteStatement } from './sqlite-client.ts'
import { sqliteDialect } from './sqlite-dialect.ts'
import type { SqliteReader } from './sqlite-reader.ts'
import { SqliteSession } from './sqlite-session.ts'
import type { WalSync } from './wal-sync.ts'

/**
 * The one connection, and another for scans. Everyone gets the first in turn, in the order of asking, the ORM included: a
 * statement that slipped in while a transaction is open would belong to that transaction.
 */
export class SqliteDatabase implements Database {
  readonly dialect = sqliteDialect
  /** The hold on the file. It lives as long as the database: collected, it would let go of the file. */
  readonly held: HeldFile
  readonly exclusive = true
  readonly #orm: MikroORM
  readonly #client: SqliteClient
  readonly #session: Session
  readonly #reader: SqliteReader | undefined
  readonly #scans = new Set<Promise<unknown>>()
  #last: Promise<unknown> = Promise.resolve()
  #walSync: WalSync | undefined
  #counting: SqliteStatement | undefined
  #busySince: number | undefined
  #closed = false

  constructor(orm: MikroORM, client: SqliteClient, held: HeldFile, reader?: SqliteReader) {
    this.held = held
    this.#orm = orm
    this.#client = client
    this.#reader = reader
    this.#session = new SqliteSession(client)
  }

  /** From now on what is written counts as written when this has brought it to the disk. */
  syncBy(walSync: WalSync): void {
    this.#walSync = walSync
  }

  read<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#turn(() => work(this.#session))
  }

  scan<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const reader = this.#reader
    if (reader === undefined) return this.read(work)
    return this.#beside(() => work(reader))
  }

  write<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#durably(async () => {
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
    return this.#durably(() => work(this.#orm.em.fork()))
  }

  transaction<T>(work: (inside: Access) => Promise<T>): Promise<T> {
    return this.#durably(() =>
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
    await this.#walSync?.settled()
    await Promise.allSettled(this.#scans)
    await this.#reader?.close()
  }

  /** A turn that may write. While its commit is brought to the disk others have theirs. */
  async #durably<T>(work: () => Promise<T>): Promise<T> {
    let wrote = false
    const answer = await this.#turn(async () => {
      const before = this.#changes()
      const result = await work()
      wrote = this.#changes() !== before
      return result
    })
    if (wrote) await this.#walSync?.durable()
    return answer
  }

  /** How many rows this connection has written. */
  #changes(): unknown {
    this.#counting ??= this.#client.prepare('select total_changes() as "changes"')
    return this.#counting.all([])[0]?.changes
  }

  async #beside<T>(work: () => Promise<T>): Promise<T> {
    this.#refuseClosed()
    const scan = work()
    this.#scans.add(scan)
    try {
      return await scan
    } finally {
      this.#scans.delete(scan)
    }
  }

  #refuseClosed(): void {
    if (this.#closed) throw new EngineError('SERVICE_UNAVAILABLE', 'The database is closed.')
  }

  async #turn<T>(work: () => Promise<T>): Promise<T> {
    this.#refuseClosed()
    const mine = this.#last.then(() => this.#begin(work))
    this.#last = mine.then(nothing, nothing)
    return mine
  }

  /**
   * Lets the event loop go on first when it is time: every answer comes at once, so that whoever asks again and again
   * would keep sockets and timers waiting until it is done.
   */
  #begin<T>(work: () => Promise<T>): Promise<T> {
    const now = performance.now()
    if (this.#busySince === undefined) {
      this.#busySince = now
      setImmediate(() => {
        this.#busySince = undefined
      })
    } else if (now - this.#busySince > LONGEST_MS) {
      return turn().then(() => this.#begin(work))
    }
    return work()
  }
}

/** So long the event loop is kept in one turn. */
const LONGEST_MS = 10

function nothing(): void {}
