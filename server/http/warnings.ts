import * as v from 'valibot'
import type { UntrustedInput } from '../../core/values/input.ts'
import { warningsOf } from '../../core/values/parse.ts'
import { MAX_WARNINGS, unknownKeys, type Warning } from '../../core/values/unknown-keys.ts'
import type { Reply, Route } from './route.ts'

/** The longest value of the header field, since proxies allow all fields of an answer only a few KB. */
const MAX_LENGTH = 1500

/**
 * The reply with warnings for the caller: as `warnings` in an envelope, and otherwise in the header field
 * `Mailwright-Warning`, so that the record stays unchanged.
 */
export function withWarnings(reply: Reply, warnings: readonly Warning[]): Reply {
  if (warnings.length === 0) return reply
  const { body, headers } = reply
  if (isEnvelope(body)) {
    const { success, ...rest } = body
    return { ...reply, body: { success, warnings, ...rest } }
  }
  return { ...reply, headers: { ...headers, 'mailwright-warning': headerValue(warnings) } }
}

/** The warnings about a query that was read: a misspelled or repeated filter does not narrow it. */
export function queryWarnings(
  { takes }: Route,
  { query }: { readonly query: UntrustedInput },
  searchParams: URLSearchParams,
): readonly Warning[] {
  const unknown = takes?.query ? warningsOf(query) : unknownKeys(NO_QUERY, query)
  const names = [...searchParams.keys()]
  const repeated = [...new Set(names.filter((name, i) => names.indexOf(name) < i))].slice(0, MAX_WARNINGS)
  return [...unknown, ...repeated.map((field) => ({ field, message: 'is given several times: the last one counts' }))]
}

const NO_QUERY = v.object({})

function isEnvelope(body: unknown): body is { readonly success: true } {
  return typeof body === 'object' && body !== null && 'success' in body && body.success === true
}

/** One line of printable ASCII. Commas only separate warnings, so a message has semicolons instead. */
function headerValue(warnings: readonly Warning[]): string {
  let line = ''
  for (const { field, message } of warnings) {
    const next = `${field}: ${message}`.replaceAll(',', ';').replace(/[^\x20-\x7e]/g, '?')
    if (line.length + next.length > MAX_LENGTH) return `${line}, and more`
    line += line === '' ? next : `, ${next}`
  }
  return line
}
