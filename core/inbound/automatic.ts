/** Senders that are not a person, by the name before the `@` (RFC 2142, RFC 5230, section 4.6). */
const MACHINES =
  /^(?:mailer-daemon|postmaster|listserv|majordomo|bounces?|no-?reply|do-?not-?reply|.*-(?:owner|request|bounces))$/i

/** Microsoft's complaints in their old form, and what Amazon's notification service (SNS) sends by mail. */
const COMPLAINT = /^complaint about message from /
const NOTICES = /@sns\.amazonaws\.com>?$/

/**
 * Whether a machine sent the message, in answer to another or as a report: an answer to it would only be answered by a
 * machine again. Seen by the null sender and `Auto-Submitted` (RFC 3834, section 2), `Content-Type` for reports (RFC
 * 6522), and older headers.
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
  if (COMPLAINT.test(fields.get('subject') ?? '') || NOTICES.test(fields.get('from') ?? '')) return true
  return MACHINES.test(sender.slice(0, sender.lastIndexOf('@')))
}
