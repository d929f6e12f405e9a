import * as v from 'valibot'
import { EngineError } from '../errors.ts'
import { wholeNumber } from './page.ts'
import { say } from './parse.ts'

/** The number of a version. */
export const VersionNumber = v.pipe(v.number(), v.integer(say('invalid_type', 'must be a whole number')), v.minValue(1))

/** The part of a request by which a change says which version it was made for. */
export const SEEN_VERSION = {
  /** The version that the change was made for: refused with `VERSION_CONFLICT` when it is not the current one any more. */
  version: v.nullish(VersionNumber),
}

/** The same in a query. */
export const SEEN_IN_QUERY = {
  /** The version that the change was made for: refused with `VERSION_CONFLICT` when it is not the current one any more. */
  version: v.optional(wholeNumber(1, 999_999_999)),
}

/**
 * A record that people edit. Its version rises by one with each change that a request makes to what people write, and not
 * with its status, its figures or whatever else the engine changes by itself.
 */
export interface Versioned {
  readonly version: number
}

/** Who made the current version, and when; where that is known. */
interface LastChange {
  readonly authorName: string
  readonly createdAt: Date
}

/**
 * The version after a change. Call it with the record as it is locked in the transaction of the change, so that of two at
 * the same instant one finds the other's. Throws EngineError `VERSION_CONFLICT` when the caller saw another version.
 */
export function nextVersion(noun: string, { version }: Versioned, seen: number | null | undefined): number {
  if (seen != null && seen !== version) throw versionConflict(noun, version)
  return version + 1
}

/** The error of a change that was made for another version than the current one, which it names. */
export function versionConflict(noun: string, version: number, last?: LastChange): EngineError {
  const how = last ? `by ${last.authorName} at ${last.createdAt.toISOString()}` : 'meanwhile'
  return new EngineError('VERSION_CONFLICT', `The ${noun} was changed ${how}.`, {
    fields: [{ field: 'version', code: 'custom', message: `is ${version} by now: the ${noun} was changed ${how}` }],
    suggestion: `Read the ${noun} again, and make the change to what it says now with "version": ${version}.`,
    currentVersion: version,
  })
}
