import type { Envelope, Mailbox, OutgoingAttachment, OutgoingMail } from '../ports/mail-transport.ts'
import type { MailContent, NamedCopy } from '../ports/store/contents.ts'
import { readMailboxLines } from '../values/mailbox-list.ts'
import type { ProjectId } from '../values/project-id.ts'
import { nameLine, subjectLine } from './compile-mail.ts'
import type { Signer } from './dkim/sign-message.ts'
import { type MailToFill, messageIdOf } from './email.ts'
import type { TrackedHtml } from './html/tracked-html.ts'
import { listFields, unsubscribeFields } from './links/list-headers.ts'
import { MailValues } from './mail-values.ts'
import type { BackAddresses, MadeMail, MailMakers } from './makers.ts'
import { BodySkeleton } from './mime/body-skeleton.ts'
import type { Composing, Header, MailBody } from './mime/composing.ts'
import { type Recipients, recipientsLeft } from './recipients-left.ts'
import type { FilterTrouble } from './render/filter-troubles.ts'
import type { MailVariables } from './render/scope.ts'
import type { CompiledTemplate } from './render/template.ts'

const NO_TROUBLES: readonly FilterTrouble[] = []

/** A mail for one recipient, whose message is composed on demand, once, and then signed. */
export abstract class ComposedMail {
  abstract readonly from: Mailbox
  readonly #projectId: ProjectId
  readonly #signing: Signer | undefined
  readonly #made: MadeMail | undefined
  #composed: Uint8Array<ArrayBuffer> | undefined
  #raw: Promise<Uint8Array<ArrayBuffer>> | undefined

  /** `made` was composed in a thread; without it the message is composed here. */
  constructor(projectId: ProjectId, signing: Signer | undefined, made: MadeMail | undefined) {
    this.#projectId = projectId
    this.#signing = signing
    this.#made = made
  }

  /** The filters that could not do their work, as far as the mail is made. */
  get troubles(): readonly FilterTrouble[] {
    return NO_TROUBLES
  }

  protected abstract compose(): Uint8Array<ArrayBuffer>

  /** The message before it is signed. */
  composed(): Uint8Array<ArrayBuffer> {
    this.#composed ??= this.#made?.message ?? this.compose()
    return this.#composed
  }

  raw(): Promise<Uint8Array<ArrayBuffer>> {
    this.#raw ??= this.#signed()
    return this.#raw
  }

  // async, so that a failure to compose is a rejection
  async #signed(): Promise<Uint8Array<ArrayBuffer>> {
    const message = this.composed()
    const about = { projectId: this.#projectId, bodyHash: this.#made?.bodyHash }
    return this.#signing?.sign(message, this.from.email, about) ?? message
  }
}

/**
 * How long a part may take, in milliseconds, for a transport that asks for parts instead of the message: they are
 * rendered on the event loop, and a mail composed in a thread before is known to finish.
 */
const MAX_RENDER_MS = 1_000

/** A body's template with its fixed pieces encoded once, when it has nothing but slots. */
export class BodyTemplate {
  readonly #template: CompiledTemplate
  readonly #skeleton: BodySkeleton | undefined

  constructor(template: CompiledTemplate) {
    this.#template = template
    this.#skeleton = template.slots && new BodySkeleton(template.slots.texts)
  }

  render({ variables }: MailToFill, mailVariables: MailVariables, patience?: number): string {
    return this.#template.render(variables, mailVariables, patience)
  }

  /** The body for the composer: the skeleton with its values if there is one, else the rendered text. */
  body(email: MailToFill, mailVariables: MailVariables): MailBody {
    const { slots } = this.#template
    if (!slots || !this.#skeleton) return this.render(email, mailVariables)
    return { skeleton: this.#skeleton, values: slots.values(email.variables, mailVariables) }
  }
}

/** The parts of a content's header that all its mails share; read once. */
export class FixedFields {
  readonly replyTo: readonly Mailbox[]
  readonly headers: readonly Header[]

  constructor(content: MailContent) {
    const { headers, marketing, replyTo } = content
    this.replyTo = forReplies(replyTo)
    this.headers = [...(marketing ? listFields(content, headers) : []), ...headers]
  }
}

export interface MailTemplates {
  readonly subject: CompiledTemplate
  readonly html: BodyTemplate
  readonly text: BodyTemplate
  /** Set when `html` is its template. */
  readonly tracked: TrackedHtml | undefined
  /** Names with placeholders: of the sender, and of those who get the replies, in their order. */
  readonly fromName: CompiledTemplate | undefined
  readonly replyToNames: readonly (CompiledTemplate | undefined)[]
}

/** A mail for one recipient. Bodies are rendered on demand, the message is composed once. */
export class FilledMail extends ComposedMail implements OutgoingMail {
  readonly id: string
  readonly messageId: string
  readonly from: Mailbox
  readonly replyTo: readonly Mailbox[]
  readonly subject: string
  readonly attachments: readonly OutgoingAttachment[]
  readonly tags: OutgoingMail['tags']
  readonly #email: MailToFill
  readonly #mailVariables: MailValues
  readonly #templates: MailTemplates
  readonly #composing: Composing
  /** The header fields of this mail alone. */
  readonly #headers: readonly Header[]
  readonly #fixed: FixedFields
  readonly #returnPath: string | undefined
  readonly #date: Date
  /** All of its recipients, whether an earlier try has reached them or not. */
  readonly #all: Recipients
  readonly #hasHtml: boolean
  #envelope: Envelope | undefined
  #left: Recipients | undefined

  constructor(
    email: MailToFill,
    content: MailContent,
    given: {
      readonly templates: MailTemplates
      readonly fixed: FixedFields
      readonly attachments: readonly OutgoingAttachment[]
      readonly makers: MailMakers
      readonly date: Date
      /** Addresses that get no copy. */
      readonly unwanted: ReadonlySet<string>
      readonly ways: BackAddresses
      /** The message made in a thread; without it the mail is composed here. */
      readonly made?: MadeMail
    },
  ) {
    super(email.projectId, given.makers.signing, given.made)
    this.#email = email
    const { links, rendering } = given.makers
    this.#mailVariables = new MailValues(
      email,
      content,
      links.at(given.ways.linkBase),
      given.templates,
      rendering.noted,
    )
    for (const trouble of given.made?.troubles ?? []) this.#mailVariables.troubles.note(trouble)
    this.#templates = given.templates
    this.#composing = given.makers.composing
    this.#date = given.date
    this.id = email.id
    this.messageId = messageIdOf(email.id, content.from.email)
    const { isLiteral, ...from } = content.from
    this.from = this.#named(isLiteral ? from : content.from, given.templates.fromName)
    this.#returnPath = given.ways.returnPath
    this.#all = recipientsOf(email, content, given.unwanted)
    this.#hasHtml = content.html !== '' || content.text === undefined || content.marketing
    this.#fixed = given.fixed
    this.replyTo = given.fixed.replyTo.map((mailbox, i) => this.#named(mailbox, given.templates.replyToNames[i]))
    this.subject = given.made?.subject ?? subjectLine(given.templates.subject, email.variables, this.#mailVariables)
    this.#headers = [...feedbackId(email, content), ...this.#unsubscribeFields(content, given.ways)]
    this.attachments = given.attachments
    this.tags = email.tags
  }

  override get troubles(): readonly FilterTrouble[] {
    return this.#mailVariables.troubles.all
  }

  get headers(): readonly Header[] {
    return [...this.#headers, ...this.#fixed.headers]
  }

  /** The same mailbox unless its name is filled in: the composer writes it once. */
  #named(mailbox: Mailbox, name: CompiledTemplate | undefined): Mailbox {
    return name ? { ...mailbox, name: nameLine(name, this.#email.variables, this.#mailVariables) } : mailbox
  }

  #unsubscribeFields(
    { marketing, headers }: MailContent,
    { unsubscribeAddress: address }: BackAddresses,
  ): readonly Header[] {
    return marketing ? unsubscribeFields({ page: this.#mailVariables.unsubscribeUrl, address }, headers) : []
  }

  /** The recipients left: an earlier try may have reached some. */
  get envelope(): Envelope {
    this.#envelope ??= {
      from: this.#returnPath ?? this.from.email,
      to: left([...this.#all.to, ...this.#all.cc, ...this.#all.bcc], this.#email.accepted),
    }
    return this.#envelope
  }

  get to(): readonly Mailbox[] {
    return this.#leftOnes.to
  }

  get cc(): readonly Mailbox[] {
    return this.#leftOnes.cc
  }

  get bcc(): readonly Mailbox[] {
    return this.#leftOnes.bcc
  }

  get #leftOnes(): Recipients {
    this.#left ??= recipientsLeft(this.#all, this.envelope.to)
    return this.#left
  }

  get html(): string | undefined {
    if (!this.#hasHtml) return undefined
    return this.#templates.html.render(this.#email, this.#mailVariables, MAX_RENDER_MS)
  }

  get text(): string {
    return this.#templates.text.render(this.#email, this.#mailVariables, MAX_RENDER_MS)
  }

  protected compose(): Uint8Array<ArrayBuffer> {
    return this.#composing.compose({
      from: this.from,
      to: this.#all.to,
      cc: this.#all.cc,
      replyTo: this.replyTo,
      subject: this.subject,
      date: this.#date,
      messageId: this.messageId,
      text: this.#templates.text.body(this.#email, this.#mailVariables),
      ...(this.#hasHtml ? { html: this.#templates.html.body(this.#email, this.#mailVariables) } : {}),
      headers: this.#headers,
      fixedHeaders: this.#fixed.headers,
      attachments: this.attachments,
    })
  }
}

/** The addresses that a content wants its replies at; none when they go to its sender. */
export function forReplies(replyTo: string | undefined): readonly Mailbox[] {
  return replyTo === undefined ? [] : readMailboxLines(replyTo)
}

/** The addresses of these mailboxes, once each, without those that have had the mail. */
function left(mailboxes: readonly Mailbox[], had: readonly string[]): readonly string[] {
  const addresses = mailboxes.map(({ email }) => email)
  if (addresses.length === 1 && had.length === 0) return addresses
  return [...new Set(addresses)].filter((address) => !had.includes(address))
}

/** Everybody whom a mail goes to but those who want no copy, by where its header names them. */
function recipientsOf(
  { to: email, toName: name }: MailToFill,
  { cc, bcc }: MailContent,
  unwanted: ReadonlySet<string>,
): Recipients {
  const first = name === undefined ? { email } : { email, name }
  if (cc.length + bcc.length === 0) return { to: [first], cc: [], bcc: [] }
  const wanted = (copies: readonly NamedCopy[], isTo = false) =>
    copies
      .filter((copy) => (copy.isTo ?? false) === isTo && !unwanted.has(copy.email))
      .map(({ isTo: _, ...mailbox }) => mailbox)
  return { to: [first, ...wanted(cc, true)], cc: wanted(cc), bcc: wanted(bcc) }
}

/**
 * Gmail's Feedback-ID: the campaign or template, the project, the kind of mail, and the sender. A mail may have only
 * one, so the sender's own wins.
 */
export function feedbackId(email: MailToFill, { headers }: MailContent): OutgoingMail['headers'] {
  if (headers.some(([name]) => name.toLowerCase() === 'feedback-id')) return []
  const { campaignId, templateId, projectId, sourceType } = email
  const value = `${campaignId ?? templateId ?? 'direct'}:${projectId}:${sourceType.toLowerCase()}:mailwright`
  return [['Feedback-ID', value]]
}
