import type { JsonObject } from '../../values/json.ts'
import type { PageRequest } from '../../values/page.ts'
import type { ProjectId } from '../../values/project-id.ts'
import type { TrackingConsent } from '../../values/tracking-consent.ts'
import type { Audience } from './audiences.ts'

/** A person mail is sent to; unique by address within a project. */
export interface Contact {
  readonly id: string
  readonly projectId: ProjectId
  readonly email: string
  readonly subscribed: boolean
  /** Whether their openings and clicks may be noted; asked anew with each. */
  readonly tracking: TrackingConsent
  /** Custom fields, any JSON. */
  readonly data: JsonObject
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface ContactFilter {
  /** Case-insensitive part of the address. */
  readonly search?: string
  readonly subscribed?: boolean
  /** Only contacts that match it. */
  readonly audience?: Audience
}

export interface ContactOrder {
  readonly sort: 'createdAt' | 'email'
  readonly dir: 'asc' | 'desc'
}

/** `offset` skips the rows before a numbered page. */
export interface ContactPageRequest extends PageRequest {
  readonly offset?: number
}

export interface ContactRepository {
  find(projectId: ProjectId, id: string): Promise<Contact | undefined>
  /** Those of these contacts that are there, in any order. */
  findAll(projectId: ProjectId, ids: readonly string[]): Promise<readonly Contact[]>
  /** As `find`, inside a transaction: nobody else changes the contact until it ends. */
  lock(projectId: ProjectId, id: string): Promise<Contact | undefined>
  /**
   * Up to `limit + 1` contacts in this order, ties by id; the position's `value` is the address or empty (the id is the
   * time).
   */
  page(
    projectId: ProjectId,
    filter: ContactFilter,
    order: ContactOrder,
    page: ContactPageRequest,
  ): Promise<readonly Contact[]>
  /** As `page`, and how many match in all, found out with one look at the contacts where one can serve both. */
  pageAndCount(
    projectId: ProjectId,
    filter: ContactFilter,
    order: ContactOrder,
    page: ContactPageRequest,
  ): Promise<{ readonly contacts: readonly Contact[]; readonly total: number }>
  count(projectId: ProjectId, filter: ContactFilter): Promise<number>
  /** Writes every field of an existing contact. `email-taken` when another contact of the project has that address. */
  update(contact: Contact): Promise<'updated' | 'email-taken' | 'missing'>
  /**
   * Removes the contact: nothing is sent or told about it any more. Its ways through workflows are CANCELLED `at` that
   * moment. What else speaks of it (mails, events …) is noted as an erasure that is due, see RetentionRepository.
   */
  remove(projectId: ProjectId, id: string, at: Date): Promise<boolean>

  /** Which of these addresses (in their stored form) have a contact. */
  addressesAmong(projectId: ProjectId, emails: readonly string[]): Promise<ReadonlySet<string>>
  /** The contacts of these addresses, inside a transaction: nobody else changes them until it ends. */
  lockByAddress(projectId: ProjectId, emails: readonly string[]): Promise<readonly Contact[]>
  /** The contacts of these ids, inside a transaction: nobody else changes them until it ends. */
  lockById(projectId: ProjectId, ids: readonly string[]): Promise<readonly Contact[]>
  /**
   * Inserts contacts whose id is new and writes over `subscribed`, `tracking`, `data` and `updatedAt` of those whose id is known. Every
   * id is given once. `met-another` when an address was taken meanwhile: the transaction is to be given up and run again.
   */
  save(contacts: readonly Contact[]): Promise<'saved' | 'met-another'>
  /** Removes these contacts as `remove` does, in one transaction; answers the ids that were there. */
  removeAll(projectId: ProjectId, ids: readonly string[], at: Date): Promise<readonly string[]>
  /** Which of these contacts belong to the audience. */
  among(projectId: ProjectId, ids: readonly string[], audience: Audience): Promise<ReadonlySet<string>>
  /** Up to `limit` ids behind `after`, in their order. */
  ids(projectId: ProjectId, filter: ContactFilter, limit: number, after?: string): Promise<readonly string[]>
}
