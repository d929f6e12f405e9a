import type { FieldsOfContact } from '../../values/fields-of-contact.ts'
import type { JsonObject } from '../../values/json.ts'
import type { PageRequest } from '../../values/page.ts'
import type { ProjectId } from '../../values/project-id.ts'
import type { SubscriptionReason } from '../../values/subscription-reason.ts'
import type { Audience } from './audiences.ts'

/** A recipient of a project's mail; the address is unique within the project. */
export interface Contact extends FieldsOfContact {
  /** A UUID (version 7): those made later sort after those made before. */
  readonly id: string
  /** The project that it belongs to. */
  readonly projectId: ProjectId
  /** How it left; absent while it is subscribed, and for one that never was. */
  readonly leftBy?: SubscriptionReason
  /** Custom fields, any JSON. */
  readonly data: JsonObject
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
  /** The existing ones of these contacts, in any order. */
  findAll(projectId: ProjectId, ids: readonly string[]): Promise<readonly Contact[]>
  /** As `find`, inside a transaction, which locks the contact until it ends. */
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
  /** As `page`, plus how many match in total, in a single query where possible. */
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
   * Removes the contact. No mail to it and no webhook about it is sent any more, and its executions become CANCELLED
   * `at` that time. The rest of its data (mails, events …) is noted as a due erasure, see RetentionRepository.
   */
  remove(projectId: ProjectId, id: string, at: Date): Promise<boolean>

  /**
   * The contact that each of these addresses (in their stored form) stands for, without its data: the one that has it, or
   * else the one that its contact was merged into, whose own address is another.
   */
  findByAddress(projectId: ProjectId, emails: readonly string[]): Promise<ReadonlyMap<string, Omit<Contact, 'data'>>>
  /** As `findByAddress`, with their data, inside a transaction, which locks them until it ends. */
  lockByAddress(projectId: ProjectId, emails: readonly string[]): Promise<ReadonlyMap<string, Contact>>
  /** The contacts of these ids, inside a transaction, which locks them until it ends. */
  lockById(projectId: ProjectId, ids: readonly string[]): Promise<readonly Contact[]>
  /**
   * Inserts contacts with new ids and overwrites those with known ids, except for their id, project, address and
   * `createdAt`. Each id is given only once. Answers `met-another` when an address was taken meanwhile: abort the
   * transaction and run it again.
   */
  save(contacts: readonly Contact[]): Promise<'saved' | 'met-another'>
  /** Removes these contacts as `remove` does, in one transaction; answers the ids that existed. */
  removeAll(projectId: ProjectId, ids: readonly string[], at: Date): Promise<readonly string[]>
  /** Which of these contacts belong to the audience. */
  among(projectId: ProjectId, ids: readonly string[], audience: Audience): Promise<ReadonlySet<string>>
  /** Up to `limit` ids after `after`, in order. */
  ids(projectId: ProjectId, filter: ContactFilter, limit: number, after?: string): Promise<readonly string[]>
}
