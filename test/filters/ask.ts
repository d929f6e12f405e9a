import { Filters } from '../../core/filters/filters.ts'
import type { AudienceSubject } from '../../core/filters/matches.ts'
import { isIn } from '../../core/filters/matches.ts'
import { silentLog } from '../../core/ports/log.ts'
import type { Store } from '../../core/ports/store.ts'
import { newId } from '../contracts/store-records.ts'
import { NOW, type People } from './people.ts'

/** The room over this store, at the moment of the cases. */
export function filtersOver(store: Store): Filters {
  return new Filters(store, { now: () => NOW, newId, log: silentLog })
}

/** What is known of one of the people in memory. */
export function subjectOf(all: People, name: string): AudienceSubject {
  const contact = all.contacts[name]
  if (contact === undefined) throw new Error(`nobody is called ${name}`)
  return {
    contact,
    eventsIn: (event, span) =>
      all.events.filter((each) => each.contactId === contact.id && each.name === event && isIn(span, each.createdAt))
        .length,
    memberOf: (segmentId) => segmentId === all.segments.vips.id && all.vips.includes(name),
  }
}
