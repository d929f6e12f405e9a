import * as v from 'valibot'
import { isJsonObject, type JsonObject } from '../values/json.ts'
import { refused, say } from '../values/parse.ts'

const KB = 1024

/** How much data from outside may be: all of it is read, kept and shown together. Bytes are those of the JSON. */
export const DATA_LIMITS = {
  /** Keys of a contact, and of one call. */
  keys: 500,
  /** Characters of a key. */
  keyLength: 200,
  /** What a contact keeps. */
  contactBytes: 64 * KB,
  /** What an event keeps, and the context of an execution. */
  eventBytes: 32 * KB,
  /** Different keys that the public keys of a project bring to its contacts. */
  publicKeys: 1000,
  /** What one call brings, whether it is stored or not. */
  callBytes: 256 * KB,
} as const

/**
 * Data of one call: any plain JSON object within the limits. `__proto__` and `constructor` are keys like others. A key
 * that is null is to be deleted, and counts for nothing.
 */
export function dataObject(bytes: number) {
  const { keys, keyLength } = DATA_LIMITS
  return v.pipe(
    v.custom<JsonObject>(isJsonObject, say('invalid_type', 'must be an object')),
    v.check((data) => keptKeys(data).length <= keys, say('too_big', `must have at most ${keys} keys`)),
    v.check(
      (data) => keptKeys(data).every((key) => key.length <= keyLength),
      say('too_big', `must not have a key of more than ${keyLength} characters`),
    ),
    v.check((data) => jsonBytes(data) <= bytes, say('too_big', `must be at most ${bytes / KB} KB as JSON`)),
  )
}

/** Throws EngineError `VALIDATION_ERROR` on `data` when an event would keep more than it may. */
export function requireEventSize(data: JsonObject): void {
  const { eventBytes } = DATA_LIMITS
  if (jsonBytes(data) <= eventBytes) return
  const message = `must be at most ${eventBytes / KB} KB as JSON for an event`
  throw refused([{ field: 'data', code: 'too_big', message }])
}

/**
 * Throws EngineError `VALIDATION_ERROR` on `data` when a change would make the contact's data larger than it may be. One
 * that was larger before there were limits may become smaller.
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

/** Throws EngineError `VALIDATION_ERROR` on `data` when public keys would bring more different keys than they may. */
export function requireRoomForKeys({ fresh, count }: { readonly fresh: readonly string[]; readonly count: number }) {
  const { publicKeys } = DATA_LIMITS
  if (fresh.length === 0 || count + fresh.length <= publicKeys) return
  const message = `would bring more than ${publicKeys} different keys into the project; public keys bring at most ${publicKeys}`
  throw refused(
    [{ field: 'data', code: 'too_big', message }],
    'Send new keys with a secret key, or delete fields nobody needs with DELETE /contacts/fields/{field}.',
  )
}

function tooMuch(message: string) {
  return refused(
    [{ field: 'data', code: 'too_big', message }],
    'Delete keys that are not needed by setting them to null, or send { "value": …, "persistent": false }, which is not stored.',
  )
}

function keptKeys(data: JsonObject): readonly string[] {
  return Object.keys(data).filter((key) => data[key] !== null)
}

/** What is nested too deep to be written down counts for nothing: `parse` refuses it for that. */
function jsonBytes(data: JsonObject): number {
  try {
    return Buffer.byteLength(JSON.stringify(data))
  } catch {
    return 0
  }
}
