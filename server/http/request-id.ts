import type { NewId } from '../../core/values/id.ts'

const GIVEN = /^[\x20-\x7e]{1,128}$/

/**
 * A request's id: the caller's own `X-Request-Id` when it is 1 to 128 printable ASCII characters, or else a new one.
 */
export function requestIdOf(given: string | null, newId: NewId): string {
  return given !== null && GIVEN.test(given) ? given : newId()
}
