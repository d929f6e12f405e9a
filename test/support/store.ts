import type { Clock } from '../../core/ports/clock.ts'
import { silentLog } from '../../core/ports/log.ts'
import type { Store } from '../../core/ports/store/store.ts'
import { freshSqlite } from './fresh-sqlite.ts'

/** A clock that stands still until it is moved. */
export class SettableClock implements Clock {
  #now: number

  constructor(at = '2025-06-01T12:00:00.000Z') {
    this.#now = Date.parse(at)
  }

  now(): Date {
    return new Date(this.#now)
  }

  /** Moves it by this many seconds (back by a negative number). */
  advance(seconds: number): void {
    this.#now += seconds * 1000
  }

  set(at: Date | string): void {
    this.#now = new Date(at).getTime()
  }
}

export interface TestStore {
  readonly store: Store
  readonly clock: SettableClock
  close(): Promise<void>
}

/** The real SQLite store over an empty file, with its own clock. */
export async function testStore(clock = new SettableClock()): Promise<TestStore> {
  const opened = await freshSqlite().open({ log: silentLog, clock })
  return { store: opened.store, clock, close: async () => opened.close?.() }
}
