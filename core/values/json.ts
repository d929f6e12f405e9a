import { EngineError, type FieldProblem } from '../errors.ts'

export type Json = string | number | boolean | null | readonly Json[] | JsonObject
export type JsonObject = { readonly [key: string]: Json }

/** Data from outside that is not checked yet. */
export type Untrusted = unknown

/** True for a plain object: not null, not an array, not a class instance. */
export function isJsonObject(value: unknown): value is JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** True for any object, also an instance of a class, whose methods are on the prototype. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

/** How deep a document may be nested. */
export const MAX_DEPTH = 64

/**
 * Finds the first value that cannot be stored or sent as text: NUL (PostgreSQL refuses it), an unpaired surrogate
 * (it has no UTF-8 form), a number too large to be held, or nesting deeper than MAX_DEPTH. Answers undefined for a clean document.
 */
export function unstorable(value: unknown, depth = 0): FieldProblem | undefined {
  if (typeof value === 'string') return isStorableText(value) ? undefined : badText('')
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return { field: '', code: 'invalid_type', message: 'must be a number of at most 1.8e308' }
  }
  if (typeof value !== 'object' || value === null) return undefined
  if (depth >= MAX_DEPTH) {
    return { field: '', code: 'too_big', message: `must not be nested deeper than ${MAX_DEPTH} levels` }
  }
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const problem = unstorable(value[i], depth + 1)
      if (problem) return inside(i, problem)
    }
    return undefined
  }
  if (value instanceof Uint8Array || value instanceof Date) return undefined
  for (const key of Object.keys(value)) {
    if (!isStorableText(key)) return badText(depth === 0 ? 'body' : '')
    const problem = unstorable((value as Record<string, unknown>)[key], depth + 1)
    if (problem) return inside(key, problem)
  }
  return undefined
}

/** True when the text has a UTF-8 form and no NUL. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000')
}

function badText(path: string): FieldProblem {
  return { field: path, code: 'invalid_string', message: 'must not contain NUL or unpaired surrogates' }
}

/** The problem, whose field is named from the value around it. */
function inside(key: string | number, problem: FieldProblem): FieldProblem {
  return { ...problem, field: problem.field === '' ? String(key) : `${key}.${problem.field}` }
}

/**
 * Builds an object from fields as they are, including `__proto__` and `constructor`, without touching any prototype.
 */
export function jsonObject(entries: Iterable<readonly [string, Json]>): JsonObject {
  return Object.fromEntries(entries)
}

/** Parses JSON text. Throws EngineError `INVALID_JSON` with the place of the error. */
export function parseJson(text: string): Untrusted {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new EngineError('INVALID_JSON', `The body is not valid JSON: ${(cause as Error).message}`, { cause })
  }
}
