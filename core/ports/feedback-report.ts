/**
 * How final a refusal is for its address, from whichever source it was reported.
 * - `permanent`: there is no such mailbox, and there will be none.
 * - `transient`: mail may arrive another time: a full mailbox, trouble of a server or of the network.
 * - `policy`: the mail, its sender or our network was refused, not the recipient.
 * - `unknown`: the refusal does not say.
 */
export type RefusalClass = 'permanent' | 'transient' | 'policy' | 'unknown'

/** The reason for a refusal, in a word. */
export const REFUSAL_KINDS = [
  'no_such_address',
  'disabled',
  'no_such_domain',
  'full',
  'recipient_rate',
  'greylisted',
  'put_off',
  'trouble',
  'expired',
  'our_quota',
  'our_rate',
  'sender',
  'relaying',
  'login',
  'authentication',
  'block',
  'content',
  'too_large',
  'policy',
  'not_verified',
  'before_recipient',
  'protocol',
  'temporary',
  'either',
  'unclear',
] as const
export type RefusalKind = (typeof REFUSAL_KINDS)[number]

/**
 * Where the reason was found. The first that says anything decides: a reply that the server's reply quotes, the reply
 * itself, its code, the text for people; `provider`: a provider's own class, without any words.
 */
export const REFUSAL_SOURCES = ['quoted reply', 'reply', 'code', 'text', 'provider'] as const
export type RefusalSource = (typeof REFUSAL_SOURCES)[number]

/** Why a refusal was judged as it was. */
export interface RefusalWhy {
  readonly by: RefusalSource
  readonly kind: RefusalKind
  /** The words that said so, or the code. */
  readonly words?: string
}

/** The mail of a report: its record's id, its Message-ID, or the provider's id. */
export type ReportedMail =
  | { readonly emailId: string }
  | { readonly messageId: string }
  | { readonly providerId: string }

/** A report about a mail we sent, from any source: a bounce message, a complaint, or a provider's notice. */
export interface FeedbackReport {
  /**
   * `delayed` is not final and changes nothing. `rejected` means that the provider accepted the mail but did not send
   * it; `unsubscribed`, that the recipient left by a link of the provider's own.
   */
  readonly kind: 'delivered' | 'delayed' | 'bounced' | 'complained' | 'opened' | 'clicked' | 'rejected' | 'unsubscribed'
  readonly mail: ReportedMail
  /** The recipient it is about; absent: the mail's own recipient. */
  readonly recipient?: string
  readonly at: Date
  /** For `rejected`: the provider did not send because the recipient had left there. */
  readonly hasLeft?: boolean
  /** A repeated report has the same key and counts once. */
  readonly key: string
  readonly bounce?: {
    /** Absent: judged by the status and the text. */
    readonly class?: RefusalClass
    /** The enhanced status code (RFC 3463). */
    readonly status?: string
    /** The receiving server's reply. */
    readonly diagnostic?: string
    /** Why it has this class. Absent: found out with the class. */
    readonly why?: RefusalWhy
  }
  /** For `clicked`: the link's target. */
  readonly link?: string
  /** For `opened` and `clicked`: the user agent. */
  readonly userAgent?: string
  /** For `opened` and `clicked`: true when a machine is known to have done it. Absent: judged by the user agent. */
  readonly machine?: boolean
}
