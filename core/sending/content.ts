import { createHash } from 'node:crypto'
import type { Mailbox } from '../ports/mail-transport.ts'
import type { Project, ProjectId } from '../projects/project.ts'
import { isTracked } from '../tracking/tracked.ts'
import { digestInTurns, digestOf } from '../values/digest.ts'

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

/**
 * What of its project a content carries, so that delivery needs no look at it. `tracking` is what the mail itself asks
 * for.
 */
export function contentMarks(
  project: Project,
  marketing: boolean,
  tracking?: boolean | null,
): Pick<MailContent, 'marketing' | 'tracking' | 'locale'> {
  const locale = marketing && project.locale !== undefined ? { locale: project.locale } : {}
  return { marketing, tracking: isTracked(project, marketing, tracking), ...locale }
}

type Written = Omit<MailContent, 'id' | 'createdAt'>
type Digests = { [Field in 'html' | 'text']?: string }

/** A longer text is in the id by a digest of its own, which can be taken a piece at a time. */
const LONG = 1_000_000

/** The id that belongs to these words in this project: a UUIDv8 (RFC 9562) over their SHA-256. */
export function contentId(content: Written): string {
  const digests: Digests = {}
  for (const [field, text] of longTexts(content)) digests[field] = digestOf(text)
  return idOf(content, digests)
}

/** The same; others have their turn of the event loop while it is made of many megabytes. */
export async function contentIdInTurns(content: Written): Promise<string> {
  const digests: Digests = {}
  for (const [field, text] of longTexts(content)) digests[field] = await digestInTurns(text)
  return idOf(content, digests)
}

/** The id of a submitted message, whose SHA-256 is known already. */
export function submittedContentId(projectId: ProjectId, digest: string): string {
  return uuidOf(createHash('sha256').update(`${projectId} ${digest}`).digest('hex'))
}

function longTexts({ html, text = '' }: Written): readonly (readonly ['html' | 'text', string])[] {
  const texts = [['html', html] as const, ['text', text] as const]
  return texts.filter(([, each]) => each.length > LONG)
}

function idOf(content: Written, digests: Digests): string {
  const hash = createHash('sha256')
  const { attachments, ...words } = content
  hash.update(JSON.stringify({ ...words, ...digests }))
  for (const { bytes, ...attachment } of attachments) {
    // the length keeps two lists apart that are the same bytes in a row
    hash.update(JSON.stringify({ ...attachment, length: bytes.length }))
    hash.update(bytes)
  }
  return uuidOf(hash.digest('hex'))
}

function uuidOf(hex: string): string {
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
