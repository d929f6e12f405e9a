import type { EventRecord } from '../../../../core/ports/store/events.ts'
import type { Session } from './session.ts'
import { Table } from './table.ts'

type Listener = (events: readonly EventRecord[]) => void

/** Tells listeners about the events a transaction stored, after its commit. Without listeners, it collects nothing. */
export class StoredEvents {
  readonly #listeners = new Set<Listener>()
  readonly #noted = new WeakMap<Session, EventRecord[]>()

  listen(listener: Listener): () => void {
    // wrapped, so that a function that listens twice can stop one of them
    const own: Listener = (events) => listener(events)
    this.#listeners.add(own)
    return () => {
      this.#listeners.delete(own)
    }
  }

  /** Collects events inside a transaction, which are stored when it commits. */
  note(session: Session, events: readonly EventRecord[]): void {
    if (this.#listeners.size > 0 && events.length > 0) this.#noted.get(session)?.push(...events)
  }

  /**
   * Runs a transaction that calls `begin` with its session before its work, also each time it is run again. Without
   * listeners, there is no `begin`.
   */
  async committed<T>(run: (begin?: (session: Session) => void) => Promise<T>): Promise<T> {
    if (this.#listeners.size === 0) return run()
    let noted: EventRecord[] = []
    const answer = await run((session) => {
      noted = []
      this.#noted.set(session, noted)
    })
    // copied, since the session's next transaction must not reach those who hold this list
    const events = noted.slice()
    if (events.length > 0) for (const listener of this.#listeners) listener(events)
    return answer
  }
}

/** The events table, which collects every insert for the listeners. */
export class EventTable extends Table<EventRecord> {
  readonly stored = new StoredEvents()

  override insert(session: Session, records: readonly EventRecord[], onConflict = ''): Promise<number> {
    this.stored.note(session, records)
    return super.insert(session, records, onConflict)
  }

  override insertShort(session: Session, records: readonly EventRecord[], onConflict = ''): Promise<number> {
    // a single record goes to `insert`, which collects it
    if (records.length > 1) this.stored.note(session, records)
    return super.insertShort(session, records, onConflict)
  }
}
