/**
 * What a refusal means for the address it was about, whoever tells it.
 * - `permanent`: there is no such mailbox, and there will be none.
 * - `transient`: mail to it may arrive another time: a full mailbox, trouble of a server or of the network.
 * - `policy`: the mail, its sender or our network was refused, not the recipient.
 * - `unknown`: it does not say.
 */
export type RefusalClass = 'permanent' | 'transient' | 'policy' | 'unknown'

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
