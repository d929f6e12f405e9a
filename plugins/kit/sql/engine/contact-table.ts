import type { MikroORM } from '@mikro-orm/sql'
import type { Contact } from '../../../../core/ports/store/contacts.ts'
import { isJsonObject } from '../../../../core/values/json.ts'
import { ContactRow } from '../entities/contacts.ts'
import { CounterDeltas, newOf, selectStored } from './counter-deltas.ts'
import type { Dialect } from './dialect.ts'
import type { Session } from './session.ts'
import { Table } from './table.ts'

/**
 * The contacts, which are counted as they are inserted: on SQLite by this class, since a trigger there adds to a counter for
 * each field of each row, a third of the time of the insert. What becomes of them is counted by triggers.
 */
export class ContactTable extends Table<Contact> {
  constructor(dialect: Dialect, orm: MikroORM) {
    super(dialect, orm, ContactRow)
  }

  override async insert(
    session: Session,
    records: readonly Contact[],
    onConflict = '',
    atOnce = records.length,
  ): Promise<number> {
    if (this.dialect.countsContacts || records.length === 0) return super.insert(session, records, onConflict, atOnce)
    // without a clause all are written, or none
    const { text, params } = selectStored(this, records)
    const before = onConflict === '' ? [] : await session.all(text, params)
    const written = await super.insert(session, records, onConflict, atOnce)
    const after = written === records.length ? records : await session.all(text, params)
    const deltas = new CounterDeltas()
    for (const contact of newOf(records, before, after)) count(deltas, contact)
    await deltas.write(this.dialect, session)
    return written
  }

  override insertShort(session: Session, records: readonly Contact[], onConflict = ''): Promise<number> {
    return this.insert(session, records, onConflict)
  }
}

/** As the triggers count it that see the contact change. */
function count(deltas: CounterDeltas, { projectId, subscribed, data }: Contact): void {
  deltas.add(projectId, 'contact', '', 'all')
  if (subscribed) deltas.add(projectId, 'contact', '', 'subscribed')
  for (const key of Object.keys(data)) {
    const kind = kindOf(data[key])
    if (kind !== undefined) deltas.add(projectId, 'field', key, kind)
  }
}

/** A text that reads as a day, or as the beginning of a moment. */
const DATE = /^\d{4}-[01]\d-[0-3]\d(?:$|[Tt ][0-2]\d:[0-5]\d)/

/** The kind of a value as it is stored, by the name that triggers give it; undefined for one that is not stored. */
function kindOf(value: unknown): string | undefined {
  if (typeof value === 'string') return DATE.test(value) ? 'date' : 'string'
  if (typeof value === 'number' || typeof value === 'boolean') return typeof value
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (isJsonObject(value)) return 'object'
  // a program that has the engine within it may give what is not JSON: a Date is stored as a text, undefined not at all
  const stored: string | undefined = JSON.stringify(value)
  return stored === undefined ? undefined : kindOf(JSON.parse(stored))
}
