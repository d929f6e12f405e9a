import type { MikroORM } from '@mikro-orm/sql'
import type { EventRecord } from '../../../../core/ports/store/events.ts'
import { isStrangerId, whoseId } from '../../../../core/values/stranger-id.ts'
import { EventRow } from '../entities/events.ts'
import { ActivityDeltas } from './activity-deltas.ts'
import type { Dialect } from './dialect.ts'
import type { Params, Row, Session } from './session.ts'
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

  /** Collects the events of a session in a transaction that the host commits. */
  collect(session: Session): readonly EventRecord[] {
    const noted: EventRecord[] = []
    this.#noted.set(session, noted)
    return noted
  }

  /** Tells the listeners about events that are committed. */
  tell(events: readonly EventRecord[]): void {
    if (events.length > 0) for (const listener of this.#listeners) listener(events)
  }

  /** Whether there are listeners. */
  get isHeard(): boolean {
    return this.#listeners.size > 0
  }

  /**
   * Runs a transaction that calls `begin` with its session before its work, also each time it is run again; it answers
   * the session.
   */
  async committed<T>(run: (begin: (session: Session) => Session) => Promise<T>): Promise<T> {
    let noted: EventRecord[] = []
    const answer = await run((session) => {
      noted = []
      this.#noted.set(session, noted)
      return session
    })
    // copied, since the session's next transaction must not reach those who hold this list
    const events = noted.slice()
    if (events.length > 0) for (const listener of this.#listeners) listener(events)
    return answer
  }
}

/**
 * The events table, which collects every insert for the listeners and adds it to the figures. The row of an event
 * without a contact names a stranger: the column takes no NULL, and SQLite would have to write the whole table anew.
 */
export class EventTable extends Table<EventRecord> {
  override readonly isCounted = true
  readonly stored = new StoredEvents()

  constructor(dialect: Dialect, orm: MikroORM) {
    super(dialect, orm, EventRow)
  }

  override get needed(): readonly string[] {
    return super.needed.filter((property) => property !== 'contactId')
  }

  override record(row: Row): EventRecord {
    const { contactId, ...event } = super.record(row)
    return contactId === undefined || isStrangerId(contactId) ? event : { ...event, contactId }
  }

  override async insert(session: Session, given: readonly EventRecord[], onConflict = ''): Promise<number> {
    if (given.length === 0) return 0
    this.stored.note(session, given)
    const records = given.map(named)
    // only a copy of a store inserts what may be there
    const written = onConflict === '' ? undefined : new Set(await this.insertedIds(session, records, onConflict))
    const inserted = written ? records.filter(({ id }) => written.has(id)) : records
    if (!written) await super.insert(session, records)
    await this.#count(session, inserted)
    return inserted.length
  }

  override async insertShort(session: Session, given: readonly EventRecord[], onConflict = ''): Promise<number> {
    if (given.length <= 1 || onConflict !== '') return this.insert(session, given, onConflict)
    this.stored.note(session, given)
    const written = await super.insertShort(session, given.map(named))
    await this.#count(session, given)
    return written
  }

  /** Removes events by a statement that ends with `returning` the columns of EVENT_FIGURES; answers their ids. */
  async remove(session: Session, sql: string, params: Params): Promise<readonly string[]> {
    const rows = await session.all(sql, params)
    const deltas = new ActivityDeltas()
    for (const { id, project_id, name } of rows)
      deltas.event(project_id as EventRecord['projectId'], String(name), String(id), -1)
    await deltas.write(this.dialect, session)
    return rows.map(({ id }) => String(id))
  }

  async #count(session: Session, records: readonly EventRecord[]): Promise<void> {
    const deltas = new ActivityDeltas()
    for (const { projectId, name, id } of records) deltas.event(projectId, name, id, 1)
    await deltas.write(this.dialect, session)
  }
}

function named(event: EventRecord): EventRecord {
  return event.contactId === undefined ? { ...event, contactId: whoseId(event) } : event
}

/** The columns by which an event counts. */
export const EVENT_FIGURES = '"id", "project_id", "name"'
