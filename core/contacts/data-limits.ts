import * as v from 'valibot'
import { describedBy } from '../values/described.ts'
import { isJsonObject, type JsonObject } from '../values/json.ts'
import { refused, say } from '../values/parse.ts'

const KB = 1024

/** Limits of data from outside, since all of it is read, kept and shown together. Bytes are those of the JSON. */
export const DATA_LIMITS = {
  /** Keys of a contact, and of one call. */
  keys: 500,
  /** Characters of a key. */
  keyLength: 200,
  /** Data of a contact. */
  contactBytes: 64 * KB,
  /** Data of an event, and the context of a workflow execution. */
  eventBytes: 32 * KB,
  /** How many different keys a project's public keys may add to its contacts. */
  publicKeys: 1000,
  /** Data of one call, whether it is stored or not. */
  callBytes: 256 * KB,
} as const

/**
 * The data of one call: any plain JSON object within the limits. `__proto__` and `constructor` are ordinary keys. A
 * null key is deleted, and does not count.
 */
export function dataObject(bytes: number) {
  const { keys, keyLength } = DATA_LIMITS
  const schema = v.pipe(
    v.custom<JsonObject>(isJsonObject, say('invalid_type', 'must be an object')),
    v.check((data) => countOfKept(data) <= keys, say('too_big', `must have at most ${keys} keys`)),
    v.check(
      (data) => longestKept(data) <= keyLength,
      say('too_big', `must not have a key of more than ${keyLength} characters`),
    ),
    v.check((data) => jsonBytes(data) <= bytes, say('too_big', `must be at most ${bytes / KB} KB as JSON`)),
  )
  return describedBy(schema, v.record(v.string(), v.unknown()))
}

/** Throws EngineError `VALIDATION_ERROR` on `data` when an event would store more than the limit. */
export function requireEventSize(data: JsonObject): void {
  const { eventBytes } = DATA_LIMITS
  if (jsonBytes(data) <= eventBytes) return
  const message = `must be at most ${eventBytes / KB} KB as JSON for an event`
  throw refused([{ field: 'data', code: 'too_big', message }])
}

/**
 * Throws EngineError `VALIDATION_ERROR` on `data` when a change would make the contact's data larger than the limit.
 * Data that was larger before there were limits may become smaller.
 */
export function requireContactSize(email: string, before: JsonObject, after: JsonObject): void {
  const { keys, contactBytes } = DATA_LIMITS
  const count = Object.keys(after).length
  if (count > keys && count > Object.keys(before).length) {
    throw tooMuch(`would give ${email} more than ${keys} keys; a contact has at most ${keys}`)
  }
  const bytes = jsonBytes(after)
  if (bytes > contactBytes && bytes > jsonBytes(before)) {
    const most = contactBytes / KB
    throw tooMuch(`would give ${email} more than ${most} KB of data as JSON; a contact has at most ${most} KB`)
  }
}

/** Throws EngineError `VALIDATION_ERROR` on `data` when public keys would add more different keys than the limit. */
export function requireRoomForKeys({ fresh, count }: { readonly fresh: readonly string[]; readonly count: number }) {
  const { publicKeys } = DATA_LIMITS
  if (fresh.length === 0 || count + fresh.length <= publicKeys) return
  const message = `would bring more than ${publicKeys} different keys into the project; public keys bring at most ${publicKeys}`
  throw refused(
    [{ field: 'data', code: 'too_big', message }],
    'Send new keys with a secret key, or delete unused fields with DELETE /contacts/fields/{field}.',
  )
}

function tooMuch(message: string) {
  return refused(
    [{ field: 'data', code: 'too_big', message }],
    'Delete keys that are not needed by setting them to null, or send { "value": …, "persistent": false }, which is not stored.',
  )
}

function countOfKept(data: JsonObject): number {
  let count = 0
  for (const key of Object.keys(data)) if (data[key] !== null) count++
  return count
}

function longestKept(data: JsonObject): number {
  let longest = 0
  for (const key of Object.keys(data)) if (data[key] !== null) longest = Math.max(longest, key.length)
  return longest
}

/** Data nested too deep for JSON counts as 0 bytes: `parse` refuses it for its depth. */
function jsonBytes(data: JsonObject): number {
  try {
    return Buffer.byteLength(JSON.stringify(data))
  } catch {
    return 0
  }
}
