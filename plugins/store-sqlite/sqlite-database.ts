import { setTimeout as pause } from 'node:timers/promises'
import { EngineError } from '../../core/errors.ts'
import type { ProjectId } from '../../core/values/project-id.ts'
import { yieldToLoop } from '../../core/values/yield-to-loop.ts'
import { type Access, accessInside, type Database, type Joined } from '../kit/sql/engine/access.ts'
import { proveWrites } from '../kit/sql/engine/prove-writes.ts'
import type { Session } from '../kit/sql/engine/session.ts'
import { Checkpoints } from './checkpoints.ts'
import { insideHost } from './host-transaction.ts'
import { type HeldFile, MEMORY } from './open-file.ts'
import { readPages } from './read-pages.ts'
import { type SqliteClient, type SqliteStatement, sqliteCode } from './sqlite-client.ts'
import { sqliteDialect } from './sqlite-dialect.ts'
import type { SqliteReaders } from './sqlite-readers.ts'
import { SqliteSession } from './sqlite-session.ts'
import type { WalSync } from './wal-sync.ts'
import { WriteGuard } from './write-guard.ts'

/**
 * The one connection that writes, and others for scans. All calls use the first in turn, in the order they came: a
 * statement that slipped into an open transaction would become part of it.
 */
export class SqliteDatabase implements Database {
  readonly dialect = sqliteDialect
  /**
   * The hold on the file, kept here so that it lives as long as the database: once collected,
   * it would release the file.
   */
  readonly held: HeldFile
  readonly exclusive = true
  readonly #client: SqliteClient
  readonly #session: SqliteSession
  readonly #readers: SqliteReaders | undefined
  readonly #scans = new Set<Promise<unknown>>()
  readonly #lock = new LockWait()
  #guard = new WriteGuard({})
  #checkpoints: Checkpoints | undefined
  #last: Promise<unknown> = Promise.resolve()
  #counting: SqliteStatement | undefined
  #busySince: number | undefined
  #closed = false

  constructor(client: SqliteClient, held: HeldFile, readers?: SqliteReaders) {
    this.held = held
    this.#client = client
    this.#readers = readers
    this.#session = new SqliteSession(client)
  }

  /** From now on, `guard` decides whether writes are kept. */
  guardBy(guard: WriteGuard): void {
    this.#guard = guard
  }

  /** From now on, a write counts only once `walSync` has brought it to the disk. */
  syncBy(walSync: WalSync): void {
    this.#guard.syncBy(walSync)
  }

  /** From now on, the write-ahead log is moved into the file by a thread. */
  moveLog(): void {
    const turn = async (work: () => Promise<void>) => {
      const end = await this.#turn()
      await work().finally(end)
    }
    this.#checkpoints = new Checkpoints({ client: this.#client, path: this.held.path, turn })
  }

  async read<T>(work: (session: Session) => Promise<T>): Promise<T> {
    for (;;) {
      this.#refuseClosed()
      const end = await this.#turn()
      try {
        return await work(this.#session)
      } catch (error) {
        end()
        await this.#again(error)
      } finally {
        end()
      }
    }
  }

  scan<T>(projectId: ProjectId, work: (session: Session) => Promise<T>): Promise<T> {
    const readers = this.#readers
    if (readers === undefined) return this.read(work)
    return this.#beside(() => readers.scan(projectId, work))
  }

  /**
   * Runs a transaction, and again while another program has the file locked. While its commit is brought to the disk,
   * others have their turns.
   */
  async write<T>(work: (session: Session) => Promise<T>, isClaim = false): Promise<T> {
    for (;;) {
      this.#refuseClosed()
      const end = await this.#turn()
      let answer: T
      let wrote: boolean
      let isBegun = false
      let forgets: boolean
      const { commits } = this.#guard
      try {
        this.#guard.refuse()
        const before = this.#changes()
        this.#client.exec('begin immediate')
        isBegun = true
        this.#lock.free()
        answer = await work(this.#session)
        // the transaction may be large, and is written to the file now
        await this.#session.rest()
        this.#client.exec('commit')
        wrote = this.#changes() !== before
        forgets = this.#session.takeForget()
      } catch (error) {
        // after some failures (a full disk), SQLite has already rolled back
        if (this.#client.inTransaction) this.#client.exec('rollback')
        this.#session.takeForget()
        end()
        const isCutOff = isBegun && isBusy(error)
        await this.#again(isCutOff ? new EngineError('SERVICE_UNAVAILABLE', LOCKED, { cause: error }) : error)
        continue
      } finally {
        end()
      }
      if (wrote) {
        if (forgets) this.#checkpoints?.empty()
        this.#checkpoints?.afterCommit()?.catch((error: unknown) => this.#guard.note(error))
        if (isClaim) await this.#guard.confirmUpTo(commits)
        else await this.#guard.confirm()
      }
      return answer
    }
  }

  /**
   * Waits until the disk has all that was committed before, such as the rows it claims: mail must not leave of which a power
   * cut would lose the acceptance. It does not wait for its own commit: a power cut that loses it ends the process, too, and
   * the rows are free then, as they would be after their lease.
   */
  claim<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.write(work, true)
  }

  /**
   * It waits while the log is moved, or there would always be a rest to move without writers. It also waits for the disk, or
   * the syncs that others wait for would have more to bring there.
   */
  async background<T>(work: (session: Session) => Promise<T>): Promise<T> {
    await this.#checkpoints?.moved()
    return this.write(work)
  }

  attempt<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.write(work)
  }

  transaction<T>(work: (inside: Access) => Promise<T>): Promise<T> {
    return this.write((session) => work(accessInside(this.dialect, session)))
  }

  async join<T>(client: unknown, work: (host: Joined) => Promise<T>): Promise<T> {
    this.#refuseClosed()
    this.#guard.refuse()
    return insideHost(client, this.held.path, (session, ended) =>
      work({ inside: accessInside(this.dialect, session), session, ended }),
    )
  }

  async check(): Promise<void> {
    this.#refuseClosed()
    this.#guard.verify()
    const { failed } = this.#guard
    await proveWrites(this, failed ? 'failure' : 'success')
    try {
      if (this.held.path !== MEMORY) readPages(this.held.path)
    } catch (error) {
      this.#guard.note(error)
      throw error
    }
    this.#guard.forgive()
  }

  /** Refuses new calls with SERVICE_UNAVAILABLE and waits for those under way. */
  async close(): Promise<void> {
    this.#closed = true
    // long reads are cut short
    await this.#readers?.close()
    await Promise.allSettled(this.#scans)
    await this.#last
    await this.#checkpoints?.close()
    await this.#guard.settled()
  }

  /** Answers when another program that has the file locked may be done. Throws every other error. */
  async #again(error: unknown): Promise<void> {
    if (EngineError.is(error)) throw error
    if (isBusy(error)) return this.#lock.again(error)
    this.#guard.note(error)
    throw error
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
    } catch (error) {
      this.#guard.note(error)
      throw error
    } finally {
      this.#scans.delete(scan)
    }
  }

  #refuseClosed(): void {
    if (this.#closed)
      throw new EngineError('SERVICE_UNAVAILABLE', 'The database is closed, since the engine was stopped.')
  }

  /**
   * Answers after all turns that were asked for before, with what ends this one, and lets the event loop go on first when
   * it is due. Every answer comes at once, so callers that ask again and again would keep sockets and timers waiting.
   */
  async #turn(): Promise<() => void> {
    const before = this.#last
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#last = promise
    await before
    while (this.#busySince !== undefined && performance.now() - this.#busySince > MAX_BLOCKED_MS) await yieldToLoop()
    if (this.#busySince === undefined) {
      this.#busySince = performance.now()
      setImmediate(() => {
        this.#busySince = undefined
      })
    }
    return resolve
  }
}

/** How long the event loop may be blocked in one go, in milliseconds. */
const MAX_BLOCKED_MS = 10

const LOCKED = 'Another program has locked the database.'

function isBusy(error: unknown): boolean {
  return sqliteCode(error)?.startsWith('SQLITE_BUSY') ?? false
}

/**
 * Waits for another program (a backup, a shell) to release the file. SQLite's own waiting would block the whole
 * process, so every try answers at once, and the pauses are here.
 */
class LockWait {
  /** The first and the last refusal by the present lock. */
  #since = Number.NEGATIVE_INFINITY
  #seen = Number.NEGATIVE_INFINITY

  /**
   * Answers when it is time for another try. Throws EngineError `SERVICE_UNAVAILABLE` once the file has been locked for
   * five seconds; later calls get it after one try, without their own five seconds.
   */
  async again(cause: unknown): Promise<void> {
    const now = performance.now()
    if (now - this.#seen > FORGOTTEN_MS) this.#since = now
    this.#seen = now
    if (now - this.#since < PATIENCE_MS) return pause(PAUSE_MS)
    const message = `Another program has had the database locked for ${PATIENCE_MS / 1000} s.`
    throw new EngineError('SERVICE_UNAVAILABLE', message, { cause, retryAfter: RETRY_AFTER })
  }

  /** Call when the lock was released. */
  free(): void {
    this.#seen = Number.NEGATIVE_INFINITY
  }
}

const PATIENCE_MS = 5000
const PAUSE_MS = 10
/** A refusal longer ago says nothing about the present lock. */
const FORGOTTEN_MS = 1000
const RETRY_AFTER = 5
