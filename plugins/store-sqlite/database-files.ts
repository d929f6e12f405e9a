import { statSync } from 'node:fs'
import { EngineError } from '../../core/errors.ts'

/**
 * Checks that the files SQLite writes still have their names. A deleted or replaced file goes on taking writes that
 * nobody will ever find, so no commit may count before this check.
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
    { retryAfter: RETRY_AFTER },
  )
}

const RETRY_AFTER = 30
