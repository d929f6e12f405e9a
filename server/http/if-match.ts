import type * as v from 'valibot'
import { invalidField } from '../../core/errors.ts'
import { type UntrustedInput, untrusted } from '../../core/values/input.ts'
import { isJsonObject } from '../../core/values/json.ts'
import { SEEN_IN_QUERY, SEEN_VERSION } from '../../core/values/record-version.ts'

/** A strong or a weak tag: proxies that compress make weak ones of ours. */
const TAG = /^(?:W\/)?"(\d{1,9})"$/

interface Takes {
  readonly takes?: { readonly query?: v.GenericSchema; readonly body?: v.GenericSchema }
}

/** Where a request names the version that it changes: in its body, or in its query if it has none. */
export function placeOfVersion({ takes = {} }: Takes): 'body' | 'query' | undefined {
  if (takes.body) return takesVersion(takes.body) ? 'body' : undefined
  return takes.query && takesVersion(takes.query) ? 'query' : undefined
}

/**
 * The input of a request, with the version of its `If-Match` as its `version`: rooms know only that one. `*` stands for
 * any. Throws EngineError `VALIDATION_ERROR` for anything else, and when both are given and differ.
 */
export function withIfMatch(given: UntrustedInput, ifMatch: string | null): UntrustedInput {
  if (ifMatch === null || ifMatch.trim() === '*') return given
  const [, digits] = TAG.exec(ifMatch.trim()) ?? []
  if (digits === undefined) {
    throw invalidField('If-Match', 'invalid_string', 'must be one version in quotes, such as "7", or *')
  }
  if (!isJsonObject(given)) return given
  const version = Number(digits)
  if (given.version != null && Number(given.version) !== version) {
    throw invalidField('version', 'custom', `must be ${version} as in If-Match, or be left out`)
  }
  return untrusted({ ...given, version })
}

function takesVersion(schema: v.GenericSchema): boolean {
  const { version }: v.ObjectEntries = 'entries' in schema ? Object(schema.entries) : {}
  return version !== undefined && (version === SEEN_VERSION.version || version === SEEN_IN_QUERY.version)
}
