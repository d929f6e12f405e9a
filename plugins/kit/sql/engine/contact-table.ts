import type { MikroORM } from '@mikro-orm/sql'
import type { Contact } from '../../../../core/ports/store/contacts.ts'
import type { Json } from '../../../../core/values/json.ts'
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
  for (const key of Object.keys(data)) deltas.add(projectId, 'field', key, kindOf(data[key]))
}

/** A text that reads as a day, or as the beginning of a moment. */
const DATE = /^\d{4}-[01]\d-[0-3]\d(?:$|[Tt ][0-2]\d:[0-5]\d)/

/** The kind of a value, as the triggers name it. */
function kindOf(value: Json | undefined): string {
  if (typeof value === 'string') return DATE.test(value) ? 'date' : 'string'
  if (typeof value !== 'object') return typeof value
  return value === null ? 'null' : Array.isArray(value) ? 'array' : 'object'
}
