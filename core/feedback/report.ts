import type { RefusalClass } from '../sending/refusal.ts'

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
    readonly class: RefusalClass
    /** The enhanced status code (RFC 3463). */
    readonly status?: string
    /** What the receiving server said. */
    readonly diagnostic?: string
  }
  /** For `clicked`: where the link leads. */
  readonly link?: string
  /** For `opened` and `clicked`: with what it was done. */
  readonly userAgent?: string
}

/**
 * What a report changed.
 * - `changed`: the mail's record, events, the suppression list or the contact.
 * - `known`: nothing any more; it, or something later, was told before.
 * - `no-mail`: no mail of ours that was sent, or somebody who was not its recipient: nothing.
 * - `noted`: it is no end (`delayed`): nothing.
 */
export type FeedbackOutcome = 'changed' | 'known' | 'no-mail' | 'noted'
