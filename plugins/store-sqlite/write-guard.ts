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
