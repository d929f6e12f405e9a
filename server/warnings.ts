import type { Warning } from '../core/values/unknown-keys.ts'
import type { Reply } from './route.ts'

/** The longest value of the header field: proxies give all fields of an answer a few KB. */
const LONGEST = 1500

/**
 * The reply with what the caller is to be warned of: as `warnings` in an envelope, otherwise, so that the record stays as
 * it is, in the header field `Mailwright-Warning`.
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

function isEnvelope(body: unknown): body is { readonly success: true } {
  return typeof body === 'object' && body !== null && 'success' in body && body.success === true
}

/** One line of printable ASCII. A comma stands between two warnings only. */
function headerValue(warnings: readonly Warning[]): string {
  let line = ''
  for (const { field, message } of warnings) {
    const next = `${field}: ${message}`.replace(/[^\x20-\x2b\x2d-\x7e]/g, '?')
    if (line.length + next.length > LONGEST) return `${line}, and more`
    line += line === '' ? next : `, ${next}`
  }
  return line
}
