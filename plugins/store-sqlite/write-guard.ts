import { statSync } from 'node:fs'
import { EngineError } from '../../core/errors.ts'
import { type Log, silentLog } from '../../core/ports/log.ts'
import { sqliteCode } from './sqlite-client.ts'
import type { WalFile, WalSync } from './wal-sync.ts'

export interface GuardedFiles {
  readonly files?: DatabaseFiles
  readonly wal?: WalFile
  readonly log?: Log
}

/**
 * Decides whether writes are kept. It is asked before each write and after each commit, learns of every failure, and
 * logs when writes begin to be refused.
 */
export class WriteGuard {
  readonly #guarded: GuardedFiles
  #walSync: WalSync | undefined
  #refusal: EngineError | undefined
  #damage: EngineError | undefined
  #failed = false

  constructor(guarded: GuardedFiles) {
    this.#guarded = guarded
  }

  /** From now on, a write counts only once `walSync` has brought it to the disk. */
  syncBy(walSync: WalSync): void {
    this.#walSync = walSync
  }

  /** Whether a write has failed since `forgive`. */
  get failed(): boolean {
    return this.#failed
  }

  forgive(): void {
    this.#failed = false
  }

  /** Throws EngineError `SERVICE_UNAVAILABLE` when a write would be lost, as far as the last check showed. */
  refuse(): void {
    if (this.#refusal) this.verify()
  }

  /** Like `refuse`, and checks the files for it. */
  verify(): void {
    try {
      if (this.#damage) throw this.#damage
      this.#guarded.wal?.refuseFailed()
      this.#guarded.files?.check()
      this.#refusal = undefined
    } catch (error) {
      this.#failed = true
      if (!EngineError.is(error)) throw error
      if (!this.#refusal) (this.#guarded.log ?? silentLog).error('writes are refused from now on', { error })
      this.#refusal = error
      throw error
    }
  }

  /** Answers when everything committed by now is on the disk, in files that still have their names. */
  confirm(): Promise<void> {
    return this.#kept(this.#walSync?.durable())
  }

  async #kept(synced: Promise<void> | undefined): Promise<void> {
    try {
      await synced
    } catch (error) {
      this.#failed = true
      this.verify()
      throw error
    }
    this.verify()
  }

  /** How many commits there were that wait for the disk. */
  get commits(): number {
    return this.#walSync?.commits ?? 0
  }

  /**
   * As `confirm`, after a commit that may be lost, unlike the first `commits`: answers when those are on the disk. When
   * bringing the rest there fails, the next write is refused.
   */
  async confirmUpTo(commits: number): Promise<void> {
    await this.#kept(this.#walSync?.durableUpTo(commits))
    this.#kept(this.#walSync?.flush()).catch(() => {})
  }

  /** Learns from a statement's error. */
  note(error: unknown): void {
    const code = sqliteCode(error) ?? ''
    if (FAILED.test(code)) this.#failed = true
    if (!DAMAGED.test(code) || this.#damage) return
    const said = error instanceof Error ? error.message : String(error)
    const message = `The database file is damaged (${said}); nothing more is written to it. Restore it from a backup.`
    this.#damage = new EngineError('SERVICE_UNAVAILABLE', message, { cause: error, retryAfter: RETRY_AFTER })
    this.#refusal = undefined
    try {
      this.verify()
    } catch {
      // it is in the log, and the next write is refused
    }
  }

  /** Answers when no sync is running. */
  async settled(): Promise<void> {
    await this.#walSync?.settled()
  }
}

/** The disk is full or fails, or nothing may be written. */
const FAILED = /^SQLITE_(?:FULL|IOERR|READONLY|CANTOPEN|PERM|CORRUPT|NOTADB)/
const DAMAGED = /^SQLITE_(?:CORRUPT|NOTADB)/
const RETRY_AFTER = 60

/**
 * Checks that the files SQLite writes still have their names. A deleted or replaced file goes on taking writes that
 * will never be found, so no commit may count before this check.
 */
export class DatabaseFiles {
  readonly #path: string
  readonly #file: bigint | undefined
  #log: bigint | undefined

  /** The database must be open by now. */
  constructor(path: string) {
    this.#path = path
    this.#file = identityOf(path)
  }

  /** Throws EngineError `SERVICE_UNAVAILABLE` when a file is gone or replaced. Takes some microseconds. */
  check(): void {
    refuseOther(this.#path, this.#file, identityOf(this.#path))
    const path = `${this.#path}-wal`
    const found = identityOf(path)
    // SQLite makes the log with the first write, and it stays the same while the database is open
    this.#log ??= found
    if (this.#log !== undefined) refuseOther(path, this.#log, found)
  }
}

/** A file's device and number in one; undefined when there is no file. */
function identityOf(path: string): bigint | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found && (found.dev << 64n) + found.ino
}

function refuseOther(path: string, known: bigint | undefined, found: bigint | undefined): void {
  if (found === known && found !== undefined) return
  const what = found === undefined ? 'is gone' : 'is not the file any more that was opened'
  throw new EngineError(
    'SERVICE_UNAVAILABLE',
    `${path} ${what}: what is written now would be lost. Put the file back, or start again with the one that is there.`,
    { retryAfter: FILE_RETRY_AFTER },
  )
}

/** How soon a client may try again, in seconds, when a file is gone. */
const FILE_RETRY_AFTER = 30
