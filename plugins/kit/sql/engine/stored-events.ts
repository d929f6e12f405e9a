import type { EventRecord } from '../../../../core/ports/store/events.ts'
import type { Session } from './session.ts'
import { Table } from './table.ts'

type Listener = (events: readonly EventRecord[]) => void

/** Tells listeners of the events a transaction stored, after its commit. Without listeners nothing is noted. */
export class StoredEvents {
  readonly #listeners = new Set<Listener>()
  readonly #noted = new WeakMap<Session, EventRecord[]>()

  listen(listener: Listener): () => void {
    // of its own, so that a function that listens twice can end once
    const own: Listener = (events) => listener(events)
    this.#listeners.add(own)
    return () => {
      this.#listeners.delete(own)
    }
  }

  /** Inside a transaction: these are stored when it commits. */
  note(session: Session, events: readonly EventRecord[]): void {
    if (this.#listeners.size > 0 && events.length > 0) this.#noted.get(session)?.push(...events)
  }

  /**
   * Runs a transaction that calls `begin` with its session before its work, every time it is run again; nobody listens
   * without it.
   */
  async committed<T>(run: (begin?: (session: Session) => void) => Promise<T>): Promise<T> {
    if (this.#listeners.size === 0) return run()
    let noted: EventRecord[] = []
    const answer = await run((session) => {
      noted = []
      this.#noted.set(session, noted)
    })
    // a session may be used again, whose next transaction must not reach those who have these
    const events = noted.slice()
    if (events.length > 0) for (const listener of this.#listeners) listener(events)
    return answer
  }
}

/** The events, whose every insert is noted. */
export class EventTable extends Table<EventRecord> {
  readonly stored = new StoredEvents()

  override insert(session: Session, records: readonly EventRecord[], onConflict = ''): Promise<number> {
    this.stored.note(session, records)
    return super.insert(session, records, onConflict)
  }

  override insertShort(session: Session, records: readonly EventRecord[], onConflict = ''): Promise<number> {
    // a single one is handed to `insert`, which notes it
    if (records.length > 1) this.stored.note(session, records)
    return super.insertShort(session, records, onConflict)
  }
}
