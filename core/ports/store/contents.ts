import type { ProjectId } from '../../values/project-id.ts'
import type { Mailbox } from '../mail-transport.ts'

/**
 * A mail as it was written, before it is filled in for a recipient. It is stored once however many recipients it has;
 * its id is made from what it says, so that the same words are the same row.
 */
export interface MailContent {
  readonly id: string
  readonly projectId: ProjectId
  /** Template source (placeholders not yet filled in), like `html` and `text`. */
  readonly subject: string
  readonly html: string
  /** Its own plain-text part; absent: made from the HTML. */
  readonly text?: string
  readonly from: Mailbox
  readonly replyTo?: string
  readonly cc: readonly Mailbox[]
  readonly bcc: readonly Mailbox[]
  /** Header fields the sender adds, in order. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly attachments: readonly ContentAttachment[]
  /** Marketing mail has a footer, and header fields by which one can unsubscribe. */
  readonly marketing: boolean
  /** Whether opens and clicks are tracked; absent: they are not. */
  readonly tracking?: boolean
  /** The project's language, for the footer of those whose own is not known. */
  readonly locale?: string
  /** True: of the words only the links are left, so that clicks in delivered mail still lead on. */
  readonly linksOnly?: boolean
  /** True: of a campaign, and of no mail besides. It stays, as what a campaign says is nobody's own. */
  readonly ofCampaign?: boolean
  /** True: it came in from outside. Its words are what they are, and no templates. */
  readonly received?: boolean
  /**
   * Present: a program submitted it as a whole message. `subject`, `html` and `text` are what it says, and no templates; the
   * bytes of its only attachment go out behind this header.
   */
  readonly submitted?: SubmittedMessage
  readonly createdAt: Date
}

/** A message as its author's program wrote it. */
export interface SubmittedMessage {
  /** Its header fields but those of its MIME structure, as they go out: 7 bit, each ended by CRLF. */
  readonly header: string
  /** Its own, in angle brackets; absent: each of its mails has one of ours. */
  readonly messageId?: string
  /** Where bounces go while there is no return path of ours; empty for the null sender. */
  readonly returnPath: string
  /** Where its HTML part stands in the bytes, and the header of that part when it is written anew; absent: it stays as it is. */
  readonly html?: { readonly from: number; readonly to: number; readonly header: string }
}

export interface ContentAttachment {
  readonly filename: string
  readonly contentType: string
  readonly disposition: 'attachment' | 'inline'
  readonly contentId?: string
  readonly bytes: Uint8Array
}
