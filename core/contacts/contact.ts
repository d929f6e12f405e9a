import * as v from 'valibot'
import type { Contact } from '../ports/store/contacts.ts'
import { ChangedFields, FIELDS_READ } from '../values/fields-of-contact.ts'
import type { InputOf } from '../values/input.ts'
import { isJsonObject, type Json, type JsonObject, jsonObject } from '../values/json.ts'
import { DATA_LIMITS, dataObject, requireContactSize } from './data-limits.ts'

/** Keys with another meaning in templates; they are silently dropped from submitted `data`. */
export const RESERVED_KEYS: ReadonlySet<string> = new Set([
  'id',
  'svc_id',
  'svc_email',
  'email',
  'unsubscribeUrl',
  'subscribeUrl',
  'manageUrl',
])

export const SubmittedData = dataObject(DATA_LIMITS.callBytes)

/** Submitted data, read: the fields to store, the fields to delete, and the variables of this one call. */
export interface DataChange {
  readonly set: ReadonlyMap<string, Json>
  readonly unset: ReadonlySet<string>
  /** Values for the templates or the event of this call, stored or not. */
  readonly variables: JsonObject
}

/**
 * Reads submitted data by the specification's rules: primitives, arrays and objects are stored; null deletes; an empty
 * string is a variable but does not overwrite; `{ value, persistent: false }` is a variable and is not stored, `{
 * value, persistent: true }` counts as its value; reserved keys are dropped.
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
 * The data of a contact after the change; the same object when nothing changes. Every write of data goes through here.
 * Throws EngineError `VALIDATION_ERROR` on `data` when it would exceed a contact's limits.
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

/** A field that is left out has the default for a new contact, and stays for a known one. */
export const CreateContact = v.object({
  ...ChangedFields.entries,
  /** The address; its contact is changed, or a new one is made. */
  email: FIELDS_READ.email,
  /** Fields to store, merged key by key; null deletes a key. */
  data: v.optional(SubmittedData),
})

/** In how many days a contact gets one marketing mail at most; null lifts the limit. */
export const EveryDays = v.nullable(FIELDS_READ.everyDays)

/** A field that is left out stays. */
export const ChangeContact = v.object({
  ...ChangedFields.entries,
  /** Fields to store, merged key by key; null deletes a key. */
  data: v.optional(SubmittedData),
})

/** A contact to create or change, found by its address. */
export interface UpsertContactInput extends InputOf<typeof CreateContact> {}

/** The fields of a contact to change. */
export interface ChangeContactInput extends InputOf<typeof ChangeContact> {}

/** The fields that say how much marketing mail a contact wants. */
type LessMail = Pick<Contact, 'pausedUntil' | 'everyDays'>

/** The stricter of what two say: the later end of a pause, and the longer time from mail to mail. */
export function stricter(one: LessMail, other: LessMail): LessMail {
  const [pausedUntil] = [one.pausedUntil, other.pausedUntil]
    .flatMap((until) => until ?? [])
    .sort((a, b) => Number(b) - Number(a))
  const everyDays = Math.max(one.everyDays ?? 0, other.everyDays ?? 0)
  return { ...(pausedUntil ? { pausedUntil } : {}), ...(everyDays > 0 ? { everyDays } : {}) }
}
