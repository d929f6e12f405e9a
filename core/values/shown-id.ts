import { refused } from './parse.ts'

/**
 * An id or a name as it was asked for, for the sentence that there is no such thing. Throws as `requireText`.
 */
export function shownId(given: string, most = 100): string {
  requireText(given, 'id')
  return given.slice(0, most).toWellFormed()
}

/**
 * Throws EngineError `VALIDATION_ERROR` for an argument that is no text, which only a host without a compiler can give, such
 * as a null of its own database.
 */
export function requireText(given: unknown, name: string): asserts given is string {
  if (typeof given === 'string') return
  const kind = given === null ? 'null' : Array.isArray(given) ? 'an array' : `of the type ${typeof given}`
  throw refused([{ field: name, code: 'invalid_type', message: `must be a text, not ${kind}` }])
}
