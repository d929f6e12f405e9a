import type { RefusalClass } from '../../ports/feedback-report.ts'

/** What a message says of one recipient. */
export interface ReportedRecipient {
  /** In lower case; absent when it does not say whom. */
  readonly address?: string
  /** Absent: it was not delivered, and that is the end of it. */
  readonly action: 'failed' | 'delayed' | 'delivered' | 'relayed' | 'expanded'
  readonly class: RefusalClass
  /** The enhanced status code (RFC 3463). */
  readonly status?: string
  /** What the refusing server said, or the report did. */
  readonly diagnostic?: string
}

/** What a message that came back is. */
export interface ParsedReport {
  /**
   * `bounce`: it tells of delivery, in a form for machines (RFC 3464) or in words; `complaint`: somebody called the mail
   * spam (RFC 5965); `auto-reply`: a person's machine has answered (RFC 3834); `none`: any other message.
   */
  readonly kind: 'bounce' | 'complaint' | 'auto-reply' | 'none'
  /** Every recipient it names; of a bounce at least one. */
  readonly recipients: readonly ReportedRecipient[]
  /** The Message-IDs of the mail it returns, the likeliest first. */
  readonly messageIds: readonly string[]
  /** Addresses in it that may be a return path of ours. */
  readonly returnPaths: readonly string[]
  /** Its own Message-ID. */
  readonly id?: string
  readonly date?: Date
}
