/** Senders that are no person, by the name before the `@` (RFC 2142, RFC 5230, section 4.6). */
const MACHINES =
  /^(?:mailer-daemon|postmaster|listserv|majordomo|bounces?|no-?reply|do-?not-?reply|.*-(?:owner|request|bounces))$/i

/**
 * Whether a message was sent by a machine in answer to another one, or reports about one: an answer to it would only be
 * answered by a machine again. The null sender and `Auto-Submitted` say so (RFC 3834, section 2), `Content-Type` for
 * reports (RFC 6522), and what programs wrote before there was a standard.
 */
export function isAutomatic(sender: string, headers: readonly (readonly [name: string, value: string])[]): boolean {
  const fields = new Map(headers.map(([name, value]) => [name.toLowerCase(), value.trim().toLowerCase()]))
  const submitted = fields.get('auto-submitted')
  if (sender === '' || (submitted !== undefined && !/^no\b/.test(submitted))) return true
  if (/^multipart\/report\b/.test(fields.get('content-type') ?? '')) return true
  if (['x-autoreply', 'x-autorespond', 'x-autoresponder', 'x-failed-recipients'].some((name) => fields.has(name))) {
    return true
  }
  if (/auto.?reply|junk/.test(fields.get('precedence') ?? '')) return true
  return MACHINES.test(sender.slice(0, sender.lastIndexOf('@')))
}
