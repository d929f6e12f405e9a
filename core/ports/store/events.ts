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
