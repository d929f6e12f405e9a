import type { Look } from '../../values/look.ts'
import type { ProjectId } from '../../values/project-id.ts'
import type { Mailbox } from '../mail-transport.ts'

/**
 * A mail as it was written, before it is filled in for a recipient. Stored once for all its recipients; its id is a
 * hash of its content, so equal contents share a row.
 */
export interface MailContent {
  readonly id: string
  readonly projectId: ProjectId
  /** Template source (placeholders not yet filled in), like `html` and `text`. */
  readonly subject: string
  /** Empty beside a `text`: the mail has only that, unless it is marketing mail. */
  readonly html: string
  /** The plain-text part as it was written; absent: it is made from the HTML. */
  readonly text?: string
  readonly from: ContentSender
  readonly replyTo?: string
  readonly cc: readonly NamedCopy[]
  readonly bcc: readonly Mailbox[]
  /** Header fields the sender adds, in order. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly attachments: readonly ContentAttachment[]
  /** Marketing mail has a footer, and header fields to unsubscribe. */
  readonly marketing: boolean
  /** Whether opens and clicks are tracked; absent: no. */
  readonly tracking?: boolean
  /** True: its request asked for tracking, so it has the pixel even where that is its only image. */
  readonly trackingAsked?: boolean
  /** The project's language, for the footer of contacts without one. */
  readonly locale?: string
  /** How the project looks, for the footer. */
  readonly look?: Look
  /** The topic of marketing mail: its links concern it, and contacts who do not get the topic do not get the mail. */
  readonly topicId?: string
  /** The transport that its request names: it goes by no other, as long as its project may name that. */
  readonly transport?: string
  /** True: only the links are left, so that clicks in delivered mail still work. */
  readonly linksOnly?: boolean
  /** True: of a campaign and no other mail. It is kept, since a campaign's text is not personal. */
  readonly ofCampaign?: boolean
  /** True: it came from outside. Its texts are not templates. */
  readonly received?: boolean
  /**
   * Set when a program submitted it as a whole message. `subject`, `html` and `text` are its texts, and not templates;
   * the bytes of its only attachment are sent after this header.
   */
  readonly submitted?: SubmittedMessage
  readonly createdAt: Date
}

/** A recipient of a copy that the header names. */
export interface NamedCopy extends Mailbox {
  /** True: in the `To` field, beside the recipient; absent: in `Cc`. */
  readonly isTo?: true
}

/** The sender of a content, whose name may be a template. */
export interface ContentSender extends Mailbox {
  /** True: the name is data, such as a project's, and is printed as it stands. Set where that makes a difference. */
  readonly isLiteral?: true
}

/** A message as its author's program wrote it. */
export interface SubmittedMessage {
  /** Its header fields without those of its MIME structure, ready to send: 7 bit, each ended by CRLF. */
  readonly header: string
  /** Its own Message-ID, in angle brackets; absent: each of its mails gets one of ours. */
  readonly messageId?: string
  /** Where bounces go as long as we have no return path; empty for the null sender. */
  readonly returnPath: string
  /**
   * Where its HTML part is in the bytes, and the header that part gets when it is rewritten; absent: it stays
   * unchanged.
   */
  readonly html?: { readonly from: number; readonly to: number; readonly header: string }
}

export interface ContentAttachment {
  readonly filename: string
  readonly contentType: string
  readonly disposition: 'attachment' | 'inline'
  readonly contentId?: string
  readonly bytes: Uint8Array
}
