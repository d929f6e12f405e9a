import { EVENTS } from '../../values/event-names.ts'
import type { JsonObject } from '../../values/json.ts'
import type { PageRequest } from '../../values/page.ts'
import type { ProjectId } from '../../values/project-id.ts'

/** Something that happened to a contact: tracked by a customer or generated here. Never changed once stored. */
export interface EventRecord {
  readonly id: string
  readonly projectId: ProjectId
  readonly name: string
  readonly contactId: string
  readonly emailId?: string
  readonly data: JsonObject
  readonly createdAt: Date
}

export interface EventWithContact extends EventRecord {
  readonly contact: { readonly id: string; readonly email: string }
  /** True for an event that is read from its mail's row: its data is empty, for it is made from the mail. */
  readonly ofLedger?: true
}

/**
 * The id of an event that a mail's row stands for, the same on every read: a UUIDv7 of the moment the mail was sent, with the
 * random bits of the mail's id. Of one mail, `email.sent` comes before `email.delivery`.
 */
export function ledgerEventId(name: LedgerEventName, emailId: string, sentAt: Date): string {
  const stamp = Math.max(0, sentAt.getTime()).toString(16).padStart(12, '0')
  return `${stamp.slice(0, 8)}-${stamp.slice(8)}-${name === EVENTS.sent ? '7000' : '7001'}-${emailId.slice(19)}`
}

/** The events that a mail's row can stand for. */
export type LedgerEventName = typeof EVENTS.sent | typeof EVENTS.delivery

export interface EventFilter {
  readonly name?: string
  readonly contactId?: string
  readonly emailId?: string
}

export interface EventRepository {
  /** Stores the events; inside the transaction with what they report. */
  record(events: readonly EventRecord[]): Promise<void>
  /** Up to `limit + 1` events, newest first (by id). */
  page(projectId: ProjectId, filter: EventFilter, page: PageRequest): Promise<readonly EventWithContact[]>
  /**
   * Every name (or the first `limit`) that occurs between the dates, inclusive, with how often and when last, most
   * frequent first. Without dates it is as fast as `names`, and the last event is the one with the highest id.
   */
  stats(
    projectId: ProjectId,
    between: { readonly from?: Date; readonly to?: Date },
    limit?: number,
  ): Promise<readonly EventStat[]>
  /**
   * Every name (or the first `limit`) with its number of events, most frequent first. Maintained with every write, not
   * counted on read.
   */
  names(projectId: ProjectId, limit?: number): Promise<readonly { readonly name: string; readonly count: number }[]>
  /** How many events of this name there are, as in `names`. */
  countNamed(projectId: ProjectId, name: string): Promise<number>
  /** How many contacts have at least one event of this name. */
  countContacts(projectId: ProjectId, name: string): Promise<number>
  /** Removes up to `limit` events of this name; answers how many. */
  removeNamed(projectId: ProjectId, name: string, limit: number): Promise<number>
}

export interface EventStat {
  readonly name: string
  readonly count: number
  readonly lastAt: Date
}
