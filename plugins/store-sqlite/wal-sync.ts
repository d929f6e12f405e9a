import { type FileHandle, open } from 'node:fs/promises'
import { EngineError } from '../../core/errors.ts'

/**
 * Makes commits durable without blocking the main thread. With `synchronous = FULL`, SQLite would wait for the disk
 * within each commit. With NORMAL it leaves the end of its write-ahead log unsynced, and the thread pool does it here:
 * a commit waits for a sync that began after it, and many commits share one. A checkpoint syncs what it moves, so
 * nothing leaves the log unsynced.
 */
export class WalSync {
  readonly #sync: () => Promise<void>
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined
  /** How many commits there were, and how many of them the running sync covers. */
  #commits = 0
  #begun = 0
  /** How many are on the disk; -1 until what a process before wrote, which may have crashed, is there, too. */
  #durable = -1

  /** `sync` brings everything written by now to the disk. */
  constructor(sync: () => Promise<void>) {
    this.#sync = sync
  }

  /** How many commits called `durable`. */
  get commits(): number {
    return this.#commits
  }

  /** Call after a commit. Answers when it is on the disk, with all before it. Throws EngineError `SERVICE_UNAVAILABLE`. */
  durable(): Promise<void> {
    this.#commits++
    return this.flush()
  }

  /** Answers when the first `commits` are on the disk, whether or not later ones are. Throws EngineError `SERVICE_UNAVAILABLE`. */
  async durableUpTo(commits: number): Promise<void> {
    if (commits <= this.#durable) return
    await (this.#running !== undefined && commits <= this.#begun ? this.#running : this.flush())
  }

  /** Answers when everything written by now is on the disk. Throws EngineError `SERVICE_UNAVAILABLE`. */
  flush(): Promise<void> {
    if (this.#running === undefined) return this.#begin()
    // the running sync may have begun before this commit
    this.#next ??= this.#running.then(
      () => this.#begin(),
      () => this.#begin(),
    )
    return this.#next
  }

  /** Answers when no sync is running. */
  async settled(): Promise<void> {
    while (this.#running !== undefined) await this.#running.catch(() => {})
  }

  #begin(): Promise<void> {
    this.#next = undefined
    this.#begun = this.#commits
    const running = this.#attempt().finally(() => {
      if (this.#running === running) this.#running = undefined
    })
    this.#running = running
    return running
  }

  async #attempt(): Promise<void> {
    const commits = this.#begun
    try {
      await this.#sync()
      this.#durable = Math.max(this.#durable, commits)
    } catch (cause) {
      if (EngineError.is(cause)) throw cause
      const reason = cause instanceof Error ? cause.message : String(cause)
      const message = `What was written could not be brought to the disk: ${reason}`
      throw new EngineError('SERVICE_UNAVAILABLE', message, { cause, retryAfter: RETRY_AFTER })
    }
  }
}

const RETRY_AFTER = 5

/**
 * Syncs a database's write-ahead log. The file is opened when first needed, and stays the same while the database is
 * open. A disk that failed once has forgotten what it was to keep: the next sync would succeed over a gap, and a
 * recovery finds nothing after it. So no sync counts any more until the file is opened, and thereby recovered, again.
 */
export class WalFile {
  readonly #path: string
  #file: Promise<FileHandle> | undefined
  #failure: { readonly cause: unknown } | undefined

  constructor(databasePath: string) {
    this.#path = `${databasePath}-wal`
  }

  /** Brings the log to the disk. */
  async sync(): Promise<void> {
    this.refuseFailed()
    this.#file ??= open(this.#path, 'r+')
    const file = await this.#file.catch((error: unknown) => {
      this.#file = undefined
      throw error
    })
    try {
      await file.datasync()
    } catch (cause) {
      this.#failure ??= { cause }
    }
    // a sync that began before another failed may seem to have succeeded
    this.refuseFailed()
  }

  /** Throws EngineError `SERVICE_UNAVAILABLE` when a sync has failed before. */
  refuseFailed(): void {
    if (this.#failure === undefined) return
    const { cause } = this.#failure
    const reason = cause instanceof Error ? cause.message : String(cause)
    const message = `The disk failed to keep what was written (${reason}): see that it works, and start again.`
    throw new EngineError('SERVICE_UNAVAILABLE', message, { cause, retryAfter: RETRY_AFTER })
  }

  async close(): Promise<void> {
    await (await this.#file)?.close()
  }
}
