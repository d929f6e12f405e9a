import type { RefusalClass, RefusalWhy } from '../../ports/feedback-report.ts'

/** One recipient in a report. */
export interface ReportedRecipient {
  /** In lower case; absent when the report does not name one. */
  readonly address?: string
  /** Absent: delivery has failed permanently. */
  readonly action: 'failed' | 'delayed' | 'delivered' | 'relayed' | 'expanded'
  readonly class: RefusalClass
  /** The enhanced status code (RFC 3463). */
  readonly status?: string
  /** The refusing server's reply, or the text of the report. */
  readonly diagnostic?: string
  /** Why it has this class; only of what has failed. */
  readonly why?: RefusalWhy
}

/** The result of parsing a message that came back. */
export interface ParsedReport {
  /**
   * `bounce`: about delivery, in machine-readable form (RFC 3464) or free text; `complaint`: a recipient marked the
   * mail as spam (RFC 5965); `auto-reply`: a person's machine has answered (RFC 3834); `none`: any other message.
   */
  readonly kind: 'bounce' | 'complaint' | 'auto-reply' | 'none'
  /** Every recipient it names; a bounce has at least one. */
  readonly recipients: readonly ReportedRecipient[]
  /** The Message-IDs of the returned mail, the likeliest first. */
  readonly messageIds: readonly string[]
  /** Addresses in it that may be one of our return paths. */
  readonly returnPaths: readonly string[]
  /** Its own Message-ID. */
  readonly id?: string
  readonly date?: Date
  /** Its author, unless that is a mail system by its name. */
  readonly author?: string
}

/** The envelope of a received message. */
export interface ReportEnvelope {
  /** The null sender is the empty string. */
  readonly from: string
}
