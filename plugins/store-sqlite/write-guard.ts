import { EngineError } from '../../core/errors.ts'
import { type Log, silentLog } from '../../core/ports/log.ts'
import type { DatabaseFiles } from './database-files.ts'
import { sqliteCode } from './sqlite-client.ts'
import type { WalFile, WalSync } from './wal-sync.ts'

export interface GuardedFiles {
  readonly files?: DatabaseFiles
  readonly wal?: WalFile
  readonly log?: Log
}

/**
 * Whether what is written is kept. It is asked before each write and after each commit, told of every failure, and says in the log
 * when writes begin to be refused.
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

  /** From now on what is written counts as written when this has brought it to the disk. */
  syncBy(walSync: WalSync): void {
    this.#walSync = walSync
  }

  /** Whether a write failed since this was last forgiven. */
  get failed(): boolean {
    return this.#failed
  }

  forgive(): void {
    this.#failed = false
  }

  /** Throws EngineError `SERVICE_UNAVAILABLE` when a write would be lost: that is known of the last one. */
  refuse(): void {
    if (this.#refusal) this.verify()
  }

  /** As `refuse`, and looks at the files for it. */
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

  /** Answers when what was committed by now is on the disk, in files that can be found again. */
  async confirm(): Promise<void> {
    try {
      await this.#walSync?.durable()
    } catch (error) {
      this.#failed = true
      this.verify()
      throw error
    }
    this.verify()
  }

  /** Learns from what a statement failed with. */
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
      // it is in the log, and whoever writes is told
    }
  }

  /** Answers when no sync is under way. */
  async settled(): Promise<void> {
    await this.#walSync?.settled()
  }
}

/** The disk is full or fails, or nothing may be written. */
const FAILED = /^SQLITE_(?:FULL|IOERR|READONLY|CANTOPEN|PERM|CORRUPT|NOTADB)/
const DAMAGED = /^SQLITE_(?:CORRUPT|NOTADB)/
const RETRY_AFTER = 60
