import type { Log, LogFields } from './log.ts'

const WINDOW_MS = 60_000
/** So many kinds of lines are kept apart. */
const MOST_KEYS = 1_000

interface Window {
  readonly began: number
  said: number
  unsaid: number
}

/** Warnings that may come by the thousand: of each kind so many a minute are written, the next tells how many were not. */
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
    const now = performance.now()
    let window = this.#windows.get(key)
    const unsaid = window?.unsaid ?? 0
    if (window === undefined || now - window.began >= WINDOW_MS) {
      if (this.#windows.size >= MOST_KEYS) this.#windows.clear()
      window = { began: now, said: 0, unsaid }
      this.#windows.set(key, window)
    }
    if (window.said >= this.#perMinute) {
      window.unsaid++
      return
    }
    window.said++
    window.unsaid = 0
    this.#log.warn(message, unsaid > 0 ? { ...fields, unsaid } : fields)
  }
}
