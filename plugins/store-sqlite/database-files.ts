import { statSync } from 'node:fs'
import { EngineError } from '../../core/errors.ts'

/**
 * Knows whether the files that SQLite writes are still those their names lead to. A file that was deleted or replaced
 * goes on taking writes, and nobody ever finds them: no commit may count before this was asked.
 */
export class DatabaseFiles {
  readonly #path: string
  readonly #file: bigint | undefined
  #log: bigint | undefined

  /** The database is open by now. */
  constructor(path: string) {
    this.#path = path
    this.#file = identityOf(path)
  }

  /** Throws EngineError `SERVICE_UNAVAILABLE` when a file is gone or another one. Costs some microseconds. */
  check(): void {
    refuseOther(this.#path, this.#file, identityOf(this.#path))
    const path = `${this.#path}-wal`
    const found = identityOf(path)
    // SQLite makes the log with the first write, and it stays the same while the database is open
    this.#log ??= found
    if (this.#log !== undefined) refuseOther(path, this.#log, found)
  }
}

/** Device and number of a file in one; undefined when there is none. */
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
