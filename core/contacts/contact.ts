import * as v from 'valibot'
import { EmailAddress } from '../values/email-address.ts'
import type { InputOf } from '../values/input.ts'
import { isJsonObject, type Json, type JsonObject, jsonObject } from '../values/json.ts'
import { TRACKING_CONSENTS } from '../values/tracking-consent.ts'
import { DATA_LIMITS, dataObject, requireContactSize } from './data-limits.ts'

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
