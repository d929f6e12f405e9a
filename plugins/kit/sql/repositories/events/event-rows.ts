import type { EventWithContact } from '../../../../../core/ports/store/events.ts'
import { STRANGERS } from '../../../../../core/values/stranger-id.ts'
import type { Row } from '../../engine/session.ts'
import type { EventTable } from '../../engine/stored-events.ts'

/** Events (`e`) and their contacts (`c`): `OF_ANY` leaves out those of removed contacts, not those without one. */
export const EVENTS_OF = `"events" as e
  left join "contacts" as c on c."id" = e."contact_id" and c."project_id" = e."project_id"`
/** The condition for `EVENTS_OF`. */
export const OF_ANY = `(c."id" is not null or e."contact_id" between '${STRANGERS.first}' and '${STRANGERS.last}')`
/** The condition for events of contacts, also of removed ones. */
export const OF_CONTACT = `"contact_id" not between '${STRANGERS.first}' and '${STRANGERS.last}'`

/** The event of a row that has `contact_email`, too. */
export function eventIn(events: EventTable, row: Row): EventWithContact {
  const event = events.record(row)
  const { contactId } = event
  return contactId === undefined ? event : { ...event, contact: { id: contactId, email: String(row.contact_email) } }
}
