import type { CompiledMail } from '../mail/compiled-mail.ts'
import { messageIdOf } from '../mail/email.ts'
import type { FeedbackReport, ReportedMail } from '../ports/feedback-report.ts'
import type { Email } from '../ports/store/emails.ts'
import { isId } from '../values/id.ts'

/** The recipients that the reports of one call name for each mail. */
export type NamedRecipients = ReadonlyMap<string, ReadonlySet<string>>

/** Whether the recipient left at the provider, by this mail or before. */
export function hasLeft(report: FeedbackReport): boolean {
  return report.kind === 'unsubscribed' || (report.kind === 'rejected' && report.hasLeft === true)
}

/** The id of our record inside the mail's reported name. */
export function idIn(mail: ReportedMail): string | undefined {
  if ('emailId' in mail) return mail.emailId
  if (!('messageId' in mail)) return undefined
  const id = /^\s*<?([0-9a-f-]{36})@/i.exec(mail.messageId)?.[1]?.toLowerCase()
  return id !== undefined && isId(id) ? id : undefined
}

/** Whether it names this mail: a Message-ID must match as a whole. */
export function isOf(reported: ReportedMail, email: Email, mail: CompiledMail | undefined): boolean {
  if (!('messageId' in reported)) return true
  if (mail === undefined) return false
  const given = reported.messageId.trim().replace(/^<?(.*?)>?$/, '<$1>')
  return given.toLowerCase() === messageIdOf(email.id, mail.content.from.email).toLowerCase()
}

/**
 * Whether the report is about the mail's own recipient: a copy that bounces is no bounce of the mail. One other
 * address, for a mail without copies, is where the recipient forwards it.
 */
export function isMeant(
  report: FeedbackReport,
  email: Email,
  mail: CompiledMail | undefined,
  isOnly: boolean,
): boolean {
  return isTo(report, email) || (isOnly && mail?.copies.length === 0)
}

/** Whether it names the mail's own recipient, or none. */
export function isTo({ recipient }: FeedbackReport, { to }: Email): boolean {
  return recipient === undefined || recipient.trim().toLowerCase() === to
}

/** The recipients that these reports name for each mail. */
export function recipientsOf(reports: readonly FeedbackReport[]): NamedRecipients {
  const named = new Map<string, Set<string>>()
  for (const { mail, recipient } of reports) {
    if (recipient === undefined) continue
    const key = mailKey(mail)
    const set = named.get(key) ?? new Set()
    named.set(key, set.add(recipient.trim().toLowerCase()))
  }
  return named
}

/** The key of a mail among those of the reports. */
export function mailKey(mail: ReportedMail): string {
  return JSON.stringify(mail)
}
