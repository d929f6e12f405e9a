import type { Warning } from '../core/values/unknown-keys.ts'
import type { Reply } from './route.ts'

/** The longest value of the header field, since proxies allow all fields of an answer only a few KB. */
const MAX_LENGTH = 1500

/**
 * The reply with warnings for the caller: as `warnings` in an envelope, and otherwise in the header field
 * `Mailwright-Warning`, so that the record stays as it is.
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

/** One line of printable ASCII. Commas only separate warnings. */
function headerValue(warnings: readonly Warning[]): string {
  let line = ''
  for (const { field, message } of warnings) {
    const next = `${field}: ${message}`.replace(/[^\x20-\x2b\x2d-\x7e]/g, '?')
    if (line.length + next.length > MAX_LENGTH) return `${line}, and more`
    line += line === '' ? next : `, ${next}`
  }
  return line
}
