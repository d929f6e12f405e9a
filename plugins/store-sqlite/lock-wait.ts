import { setTimeout as pause } from 'node:timers/promises'
import { EngineError } from '../../core/errors.ts'

/**
 * Waits for another program (a backup, a shell) to release the file. SQLite's own waiting would block the whole
 * process, so every try answers at once, and the pauses are here.
 */
export class LockWait {
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
