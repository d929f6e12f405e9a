import type { RefusalClass } from '../sending/refusal.ts'
import { judge } from './parse/judge.ts'

/** So much of what a server said is kept, and of the address of a link. */
const LONGEST_WORDS = 2000
const LONGEST_LINK = 4000

/** Which mail a report is about: its record's id, its Message-ID, or what its provider calls it. */
export type ReportedMail =
  | { readonly emailId: string }
  | { readonly messageId: string }
  | { readonly providerId: string }

/** What somebody says became of one of our mails, whoever says it: a bounce message, a complaint, a provider's notice. */
export interface FeedbackReport {
  /**
   * `delayed` is no end and changes nothing; `rejected`: the provider took the mail and then did not send it.
   */
  readonly kind: 'delivered' | 'delayed' | 'bounced' | 'complained' | 'opened' | 'clicked' | 'rejected'
  readonly mail: ReportedMail
  /** Whom it is about. Without it: whom the mail was to. */
  readonly recipient?: string
  readonly at: Date
  /** The same report twice has the same key, and counts once. */
  readonly key: string
  readonly bounce?: {
    /** Without it the status and the words decide. */
    readonly class?: RefusalClass
    /** The enhanced status code (RFC 3463). */
    readonly status?: string
    /** What the receiving server said. */
    readonly diagnostic?: string
  }
  /** For `clicked`: where the link leads. */
  readonly link?: string
  /** For `opened` and `clicked`: with what it was done. */
  readonly userAgent?: string
  /** For `opened` and `clicked`: true when it is known that no person did it. Without it the user agent tells. */
  readonly machine?: boolean
}

/**
 * What a report changed.
 * - `changed`: the mail's record, events, the suppression list or the contact.
 * - `known`: nothing any more; it, or something later, was told before, or the mail is not tracked.
 * - `no-mail`: no mail of ours that was sent, or somebody who was not its recipient: nothing.
 * - `noted`: it is no end (`delayed`), or tells of an opening or a click of who wants none told: nothing.
 */
export type FeedbackOutcome = 'changed' | 'known' | 'no-mail' | 'noted'

/** The report with texts that every store can keep, whoever wrote them: no NUL, no half characters, nothing endless. */
export function storable(report: FeedbackReport): FeedbackReport {
  const { mail, bounce, link } = report
  return {
    ...report,
    ...('providerId' in mail ? { mail: { providerId: plain(mail.providerId, 500) } } : {}),
    ...(bounce === undefined ? {} : { bounce: plainBounce(bounce) }),
    ...(link === undefined ? {} : { link: plain(link, LONGEST_LINK) }),
  }
}

function plainBounce({ class: given, status = '', diagnostic }: NonNullable<FeedbackReport['bounce']>) {
  const words = diagnostic === undefined ? undefined : plain(diagnostic, LONGEST_WORDS)
  const code = /^[245]\.\d{1,3}\.\d{1,3}$/.test(status) ? status : undefined
  return {
    class: given ?? judge({ status: code, words: words ?? '' }).class,
    ...(code === undefined ? {} : { status: code }),
    ...(words === undefined ? {} : { diagnostic: words }),
  }
}

function plain(text: string, longest: number): string {
  return text.slice(0, longest).replaceAll('\0', ' ').toWellFormed()
}
