import type { Log, LogFields } from './log.ts'

const WINDOW_MS = 60_000
/** How many kinds of lines are counted separately. */
const MAX_KEYS = 1_000

interface Window {
  readonly began: number
  said: number
  unsaid: number
}

/**
 * A log for warnings and errors that may come by the thousand. It writes a limited number of each kind per minute, and the next
 * line of that kind says how many were left out.
 */
export class LimitedLog {
  readonly #log: Log
  readonly #perMinute: number
  readonly #windows = new Map<string, Window>()

  constructor(log: Log, perMinute: number) {
    this.#log = log
    this.#perMinute = perMinute
  }

  /** Lines of the same `key` count together. */
  warn(key: string, message: string, fields: LogFields): void {
    this.#write('warn', key, message, fields)
  }

  /** As `warn`, for errors. */
  error(key: string, message: string, fields: LogFields): void {
    this.#write('error', key, message, fields)
  }

  #write(level: 'warn' | 'error', key: string, message: string, fields: LogFields): void {
    const now = performance.now()
    let window = this.#windows.get(key)
    const unsaid = window?.unsaid ?? 0
    if (window === undefined || now - window.began >= WINDOW_MS) {
      if (this.#windows.size >= MAX_KEYS) this.#windows.clear()
      window = { began: now, said: 0, unsaid }
      this.#windows.set(key, window)
    }
    if (window.said >= this.#perMinute) {
      window.unsaid++
      return
    }
    window.said++
    window.unsaid = 0
    this.#log[level](message, unsaid > 0 ? { ...fields, unsaid } : fields)
  }
}
