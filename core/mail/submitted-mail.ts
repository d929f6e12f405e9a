import type { Envelope, Mailbox, OutgoingAttachment, OutgoingMail } from '../ports/mail-transport.ts'
import type { MailContent, SubmittedMessage } from '../ports/store/contents.ts'
import { mailboxesIn } from '../values/mailbox.ts'
import { MOST_FOR_REPLIES } from '../values/mailbox-list.ts'
import { ComposedMail, feedbackId } from './composed-mail.ts'
import { type MailToFill, messageIdOf } from './email.ts'
import { TrackedPlainHtml } from './html/tracked-plain-html.ts'
import type { BackAddresses, MadeMail, MailMakers } from './makers.ts'
import { BodySkeleton, type FilledBody } from './mime/body-skeleton.ts'
import { textField } from './mime/header-fields.ts'
import { fieldValue, type HeaderField, headerFields } from './mime/message-header.ts'
import { attachmentsOf } from './mime/mime-attachments.ts'
import type { CheckedRendering } from './thread/mail-question.ts'

/** A submitted content. */
type Submission = MailContent & { readonly submitted: SubmittedMessage }

/** The HTML of one mail: filled in, and as text. */
interface TrackedBody extends FilledBody {
  readonly text: string
}

/** A compiled submitted message: its mails differ only in their links and in the header fields we add. */
export class CompiledSubmission {
  readonly content: Submission
  readonly #makers: MailMakers
  #tracked: TrackedPlainHtml | undefined
  #skeleton: BodySkeleton | undefined
  #fields: readonly HeaderField[] | undefined

  constructor(content: Submission, makers: MailMakers) {
    this.content = content
    this.#makers = makers
  }

  /** The mail for this recipient. `made` is the part that was made before. */
  fill(email: MailToFill, { linkBase, returnPath }: BackAddresses, made?: MadeMail): SubmittedMail {
    const { content } = this
    this.#fields ??= headerFields(content.submitted.header)
    const own = { content, fields: this.#fields, returnPath, tracked: () => this.#html(email, linkBase) }
    return new SubmittedMail(email, own, this.#makers, made)
  }

  /** The mail's content, for showing it to its sender. */
  get rendered(): CheckedRendering {
    const { subject, html, text = '' } = this.content
    return { subject, html, text, troubles: [] }
  }

  /** The target of link `number` in its mails. */
  target(number: number): string | undefined {
    return this.#links.targets[number]
  }

  get #links(): TrackedPlainHtml {
    this.#tracked ??= new TrackedPlainHtml(this.content.html)
    return this.#tracked
  }

  /** Its HTML for one mail, when it is tracked. */
  #html({ projectId, id, tracking: consent }: MailToFill, linkBase?: string): TrackedBody | undefined {
    const { tracking, submitted } = this.content
    const isTracked = tracking && consent !== 'none' && submitted.html !== undefined
    const signed = isTracked ? this.#makers.links.at(linkBase).ofMail({ projectId, emailId: id }) : undefined
    if (signed === undefined) return undefined
    this.#skeleton ??= new BodySkeleton(this.#links.texts)
    const { texts } = this.#links
    const values = this.#links.values(signed)
    const joined = () => texts.map((text, i) => text + (values[i] ?? '')).join('')
    return {
      skeleton: this.#skeleton,
      values,
      get text() {
        return joined()
      },
    }
  }
}

/** A mail with the bytes of its author's program. Its fields are for transports that take no whole messages. */
export class SubmittedMail extends ComposedMail implements OutgoingMail {
  readonly id: string
  readonly messageId: string
  readonly from: Mailbox
  readonly to: readonly Mailbox[]
  readonly cc: readonly Mailbox[] = []
  readonly bcc: readonly Mailbox[] = []
  readonly replyTo: readonly Mailbox[]
  readonly subject: string
  readonly tags: OutgoingMail['tags']
  readonly text: string
  readonly #email: MailToFill
  readonly #content: Submission
  readonly #composing: MailMakers['composing']
  readonly #returnPath: string | undefined
  readonly #tracked: () => TrackedBody | undefined
  readonly #fields: readonly HeaderField[]

  constructor(
    email: MailToFill,
    {
      content,
      fields,
      returnPath,
      tracked,
    }: {
      readonly content: Submission
      readonly fields: readonly HeaderField[]
      readonly returnPath: string | undefined
      readonly tracked: () => TrackedBody | undefined
    },
    makers: MailMakers,
    made: MadeMail | undefined,
  ) {
    super(email.projectId, makers.signing, made)
    const { from, subject, text = '', submitted } = content
    this.#email = email
    this.#content = content
    this.#composing = makers.composing
    this.#returnPath = returnPath
    this.#tracked = tracked
    this.#fields = fields
    this.id = email.id
    this.messageId = submitted.messageId ?? messageIdOf(email.id, from.email)
    this.from = from
    // others that the message names get their own mail, or none
    this.to = [{ email: email.to }]
    this.subject = subject
    this.text = text
    this.tags = email.tags
    this.replyTo = repliesAsked(fields)
  }

  get envelope(): Envelope {
    const from = this.#returnPath ?? this.#content.submitted.returnPath
    return { from, to: this.#email.accepted.includes(this.#email.to) ? [] : [this.#email.to] }
  }

  get html(): string | undefined {
    const { html } = this.#content
    return html === '' ? undefined : (this.#tracked()?.text ?? html)
  }

  get headers(): OutgoingMail['headers'] {
    const own = this.#fields.filter(({ name }) => !OWN_PROPERTIES.has(name))
    return [...this.#feedbackId, ...own.map(({ lines, value }) => [lines.slice(0, lines.indexOf(':')), value] as const)]
  }

  get attachments(): readonly OutgoingAttachment[] {
    return attachmentsOf(this.#bytes)
  }

  protected compose(): Uint8Array<ArrayBuffer> {
    const { header, messageId, html } = this.#content.submitted
    const added = this.#feedbackId.map(([name, value]) => textField(name, value, name))
    if (messageId === undefined) added.push(`Message-ID: ${this.messageId}\r\n`)
    const head = `${added.join('')}${header}`
    const tracked = this.#tracked()
    if (tracked === undefined || html === undefined) return this.#composing.joined([head, this.#bytes])
    const [before, behind] = [this.#bytes.subarray(0, html.from), this.#bytes.subarray(html.to)]
    return this.#composing.joined([head, before, html.header, tracked, behind])
  }

  get #feedbackId(): OutgoingMail['headers'] {
    return fieldValue(this.#fields, 'feedback-id') === undefined ? feedbackId(this.#email, this.#content) : []
  }

  get #bytes(): Uint8Array {
    return this.#content.attachments[0]?.bytes ?? new Uint8Array()
  }
}

/** The mailboxes in the `Reply-To` field of a submitted message. */
export function repliesAsked(fields: readonly HeaderField[]): readonly Mailbox[] {
  return mailboxesIn(fieldValue(fields, 'reply-to') ?? '', MOST_FOR_REPLIES)
}

/** Header fields that have their own property. */
const OWN_PROPERTIES = new Set(['from', 'to', 'cc', 'reply-to', 'subject', 'date', 'message-id', 'mime-version'])

/** True for a content that was submitted as a whole message. */
export function isSubmission(content: MailContent): content is Submission {
  return content.submitted !== undefined
}
