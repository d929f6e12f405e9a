/**
 * What a refusal means for its address, whoever reports it.
 * - `permanent`: there is no such mailbox, and there will be none.
 * - `transient`: mail may arrive another time: a full mailbox, trouble of a server or of the network.
 * - `policy`: the mail, its sender or our network was refused, not the recipient.
 * - `unknown`: the refusal does not say.
 */
export type RefusalClass = 'permanent' | 'transient' | 'policy' | 'unknown'

/** The mail of a report: its record's id, its Message-ID, or the provider's id. */
export type ReportedMail =
  | { readonly emailId: string }
  | { readonly messageId: string }
  | { readonly providerId: string }

/** A report about a mail we sent, from any source: a bounce message, a complaint, or a provider's notice. */
export interface FeedbackReport {
  /**
   * `delayed` is not final and changes nothing. `rejected` means that the provider accepted the mail but did not send
   * it.
   */
  readonly kind: 'delivered' | 'delayed' | 'bounced' | 'complained' | 'opened' | 'clicked' | 'rejected'
  readonly mail: ReportedMail
  /** The recipient it is about; absent: the mail's own recipient. */
  readonly recipient?: string
  readonly at: Date
  /** A repeated report has the same key and counts once. */
  readonly key: string
  readonly bounce?: {
    /** Absent: judged by the status and the text. */
    readonly class?: RefusalClass
    /** The enhanced status code (RFC 3463). */
    readonly status?: string
    /** The receiving server's reply. */
    readonly diagnostic?: string
  }
  /** For `clicked`: the link's target. */
  readonly link?: string
  /** For `opened` and `clicked`: the user agent. */
  readonly userAgent?: string
  /** For `opened` and `clicked`: true when a machine is known to have done it. Absent: judged by the user agent. */
  readonly machine?: boolean
}
