import * as v from 'valibot'
import type { Audience } from '../filters/audience.ts'
import type { ProjectId } from '../projects/project.ts'
import { EmailAddress } from '../values/email-address.ts'
import type { InputOf } from '../values/input.ts'
import { isJsonObject, type Json, type JsonObject, jsonObject } from '../values/json.ts'
import type { PageRequest } from '../values/page.ts'
import { TRACKING_CONSENTS, type TrackingConsent } from '../values/tracking-consent.ts'
import { DATA_LIMITS, dataObject, requireContactSize } from './data-limits.ts'

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

  /**
   * How many contacts have which data keys, with values of which kinds; with a `limit` of more keys those that most
   * contacts have. Kept up to date with every write, not counted.
   */
  fields(projectId: ProjectId, limit?: number): Promise<ContactFields>
  /** How many contacts have this data key, with values of which kinds; undefined when nobody has it. */
  field(projectId: ProjectId, key: string): Promise<KindCounts | undefined>
  /**
   * Up to `limit` different values of a data key (texts, numbers, booleans), in the order of their texts; which of more is
   * open. Those that are longer than LISTED_VALUE characters as JSON are left out.
   */
  values(projectId: ProjectId, key: string, limit: number): Promise<readonly (string | number | boolean)[]>
  /** Takes the key from the data of the next up to `limit` contacts behind `after` (by id) that have it. */
  removeField(
    projectId: ProjectId,
    key: string,
    now: Date,
    batch: { readonly limit: number; readonly after?: string },
  ): Promise<FieldRemoval>
}

/** One batch of a removal: how many contacts lost the key, and where to go on; without `last` none behind has it. */
export interface FieldRemoval {
  readonly removed: number
  readonly last?: string
}

/** The kinds of values a data key is counted by; `date` is a text that looks like an ISO 8601 date. */
export const VALUE_KINDS = ['string', 'number', 'boolean', 'date', 'object', 'array', 'null'] as const
export type ValueKind = (typeof VALUE_KINDS)[number]

export type KindCounts = Readonly<Partial<Record<ValueKind, number>>>

export interface ContactFields {
  readonly contacts: number
  /** How many different keys there are in all. */
  readonly keys: number
  readonly fields: readonly { readonly key: string; readonly kinds: KindCounts }[]
}

/** The longest value of a key that is listed, in characters of its JSON. */
export const LISTED_VALUE = 1000

/** Keys that mean something else in templates; silently taken out of any submitted `data`. */
export const RESERVED_KEYS: ReadonlySet<string> = new Set([
  'id',
  'svc_id',
  'svc_email',
  'email',
  'unsubscribeUrl',
  'subscribeUrl',
  'manageUrl',
])

/** Submitted `data`. */
export const SubmittedData = dataObject(DATA_LIMITS.callBytes)

/** What submitted data does: which fields are stored, which are deleted, and which variables this one call sees. */
export interface DataChange {
  readonly set: ReadonlyMap<string, Json>
  readonly unset: ReadonlySet<string>
  /** Values for templates or the event of this call, stored or not. */
  readonly variables: JsonObject
}

/**
 * Reads submitted data by the specification's rules: primitives, arrays and objects are stored; null deletes; an empty
 * string is a variable but does not overwrite; `{ value, persistent: false }` is a variable and is not stored,
 * `{ value, persistent: true }` is its value; reserved keys are dropped.
 */
export function readData(data: JsonObject | undefined): DataChange {
  const set = new Map<string, Json>()
  const unset = new Set<string>()
  const variables = new Map<string, Json>()
  for (const [key, submitted] of Object.entries(data ?? {})) {
    if (RESERVED_KEYS.has(key)) continue
    const { value, persistent } = unwrap(submitted)
    variables.set(key, value)
    if (!persistent || value === '') continue
    if (value === null) unset.add(key)
    else set.set(key, value)
  }
  return { set, unset, variables: jsonObject(variables) }
}

function unwrap(submitted: Json): { readonly value: Json; readonly persistent: boolean } {
  if (isJsonObject(submitted) && 'value' in submitted && typeof submitted.persistent === 'boolean') {
    return { value: submitted.value ?? null, persistent: submitted.persistent }
  }
  return { value: submitted, persistent: true }
}

/**
 * The data of the contact of this address after the change; the same object when nothing changes. Every write of data
 * comes by here. Throws EngineError `VALIDATION_ERROR` on `data` when it would be more than a contact may have.
 */
export function changedData(email: string, data: JsonObject, change: DataChange): JsonObject {
  if (change.set.size === 0 && ![...change.unset].some((key) => Object.hasOwn(data, key))) return data
  const merged = new Map<string, Json>(Object.entries(data))
  for (const key of change.unset) merged.delete(key)
  for (const [key, value] of change.set) merged.set(key, value)
  const after = jsonObject(merged)
  requireContactSize(email, data, after)
  return after
}

export const CreateContact = v.object({
  /** The address; the contact that has it is changed, else one is made. */
  email: EmailAddress,
  /** Without it a new contact is subscribed and a known one stays as it is. */
  subscribed: v.optional(v.boolean()),
  /** What may be noted of their openings and clicks. Without it a new contact has what its project says. */
  tracking: v.optional(v.picklist(TRACKING_CONSENTS)),
  /** Fields to keep, merged key by key; null deletes a key. */
  data: v.optional(SubmittedData),
})

export const ChangeContact = v.object({
  /** Another address. */
  email: v.optional(EmailAddress),
  /** Whether the contact gets marketing mail. */
  subscribed: v.optional(v.boolean()),
  /** What may be noted of its openings and clicks. */
  tracking: v.optional(v.picklist(TRACKING_CONSENTS)),
  /** Fields to keep, merged key by key; null deletes a key. */
  data: v.optional(SubmittedData),
})

/** A contact to be made or changed, by its address. */
export interface UpsertContactInput extends InputOf<typeof CreateContact> {}

/** The fields of a contact that are to change. */
export interface ChangeContactInput extends InputOf<typeof ChangeContact> {}
