import { hasAutomaticMark } from '../bounces/parse/automatic-marks.ts'
import { isAutomaticSubject } from '../bounces/parse/automatic-subject.ts'
import { isMachineName } from '../values/machine-address.ts'

/** Microsoft's complaints in their old form, and what Amazon's notification service (SNS) sends by mail. */
const COMPLAINT = /^complaint about message from /
const NOTICES = /@sns\.amazonaws\.com>?$/

/**
 * Whether a machine sent the message, in answer to another or as a report: an answer to it would only be answered by a
 * machine again. Seen by the null sender and `Auto-Submitted` (RFC 3834, section 2), `Content-Type` for reports (RFC
 * 6522), older headers, the subject, and an author that takes no answers.
 */
export function isAutomatic(sender: string, headers: readonly (readonly [name: string, value: string])[]): boolean {
  const fields = new Map(headers.map(([name, value]) => [name.toLowerCase(), value.trim().toLowerCase()]))
  const subject = headers.find(([name]) => name.toLowerCase() === 'subject')?.[1] ?? ''
  const submitted = fields.get('auto-submitted')
  if (sender === '' || (submitted && !/^no\b/.test(submitted))) return true
  if (/^multipart\/report\b/.test(fields.get('content-type') ?? '')) return true
  if (fields.has('x-failed-recipients') || hasAutomaticMark((name) => fields.get(name))) return true
  // Exchange's own answers carry it; people's programs do not
  if (/\b(?:all|oof|autoreply)\b/.test(fields.get('x-auto-response-suppress') ?? '')) return true
  if (/junk/.test(fields.get('precedence') ?? '') || isAutomaticSubject(subject)) return true
  if (COMPLAINT.test(fields.get('subject') ?? '') || NOTICES.test(fields.get('from') ?? '')) return true
  const author = /([^\s<>"@]{1,64})@[^\s<>@]{1,255}>?\s*$/.exec(fields.get('from') ?? '')?.[1] ?? ''
  return isMachineName(sender.slice(0, sender.lastIndexOf('@'))) || isMachineName(author)
}
