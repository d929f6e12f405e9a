import { Composing } from '../composing/composing.ts'
import { inject, injectable } from '../di.ts'
import { Links } from '../links/links.ts'
import type { OutgoingAttachment, OutgoingMail } from '../ports/mail-transport.ts'
import { Store } from '../ports/store.ts'
import { Rendering } from '../rendering/rendering.ts'
import { Signing } from '../signing/signing.ts'
import type { JsonObject } from '../values/json.ts'
import { RecentlyUsed } from '../values/recently-used.ts'
import type { MailContent } from './content.ts'
import { type Email, isForgotten } from './email.ts'
import { BodyTemplate, FilledMail, type MailMakers, type MailTemplates } from './filled-mail.ts'
import { MailBodies } from './mail-bodies.ts'
import { mailBuiltins } from './mail-values.ts'
import { subjectLine } from './mail-words.ts'
import type { Words } from './sending.ts'

/** How many contents are kept compiled, and how many bytes they may have in all, attachments included. */
const KEPT = 500
const KEPT_BYTES = 64 * 1024 * 1024
/** How many bytes of attachments are read at once; a single content may have more. */
const LOADED_BYTES = 16 * 1024 * 1024

/** A content made ready: filling it in for a recipient is all that is left to do. */
export class CompiledMail {
  readonly content: MailContent
  readonly #bodies: MailBodies
  readonly #templates: MailTemplates
  readonly #makers: MailMakers
  readonly #attachments: readonly OutgoingAttachment[]

  constructor(content: MailContent, bodies: MailBodies, makers: MailMakers) {
    this.content = content
    this.#bodies = bodies
    this.#makers = makers
    const tracked = content.tracking && makers.links.isPublic ? { tracked: bodies.tracked } : {}
    const { subject, html, text } = bodies.words
    const shown = new BodyTemplate(tracked.tracked?.template ?? html)
    this.#templates = { subject, html: shown, text: new BodyTemplate(text), ...tracked }
    this.#attachments = content.attachments.map(({ bytes, ...attachment }) => ({ ...attachment, content: bytes }))
  }

  /**
   * The mail for this recipient, dated `date`; who is unwanted (suppressed) gets no copy. Throws EngineError `VALIDATION_ERROR` when the
   * subject breaks a limit.
   */
  outgoing(email: Email, date: Date, unwanted: ReadonlySet<string> = NOBODY): OutgoingMail {
    const given = { templates: this.#templates, makers: this.#makers, attachments: this.#attachments, date, unwanted }
    return new FilledMail(email, this.content, given)
  }

  /**
   * What the mail says, for showing it to its sender: as the recipient sees it, but its links lead where they say and
   * nothing counts who looks at it. Throws as `outgoing` does.
   */
  words(email: Email): Words {
    const { subject, html, text } = this.#bodies.words
    const builtins = mailBuiltins(email, this.content, this.#makers.links, undefined)
    return {
      subject: subjectLine(subject, email.variables, builtins),
      html: html.render(email.variables, builtins),
      text: text.render(email.variables, builtins),
    }
  }

  /**
   * Where link `number` of this recipient's mail leads: an http(s) address as the mail's writer and the recipient's
   * values gave it. Undefined when the mail has no such link, or one made of values that were removed. Throws EngineError
   * `VALIDATION_ERROR` as rendering does.
   */
  linkTarget(email: Email, number: number): string | undefined {
    const { tracked } = this.#bodies
    if (isForgotten(email, this.content)) return tracked.fixedTargets[number]
    return tracked.target(number, email.variables, mailBuiltins(email, this.content, this.#makers.links, tracked))
  }

  /**
   * The keys of the recipient's data that filling it in may ask for; undefined when that cannot be told. Its links and the
   * plain text made from the HTML ask for no others.
   */
  get keys(): ReadonlySet<string> | undefined {
    const { subject, html, text } = this.#bodies.words
    const parts = this.content.text === undefined ? [subject, html] : [subject, html, text]
    const keys = new Set(ALWAYS_ASKED)
    for (const { slots } of parts) {
      const asked = slots?.keys
      if (asked === undefined) return undefined
      for (const key of asked) keys.add(key)
    }
    return keys
  }

  /** The addresses of everybody who gets a copy. */
  get copies(): readonly string[] {
    const { cc, bcc } = this.content
    return cc.length + bcc.length === 0 ? [] : [...cc, ...bcc].map(({ email }) => email)
  }

  /** About how much memory it takes. */
  get bytes(): number {
    const { subject, html, text = '', attachments } = this.content
    return attachments.reduce((sum, { bytes }) => sum + bytes.length, 8 * (subject.length + html.length + text.length))
  }
}

/** The contents that are being sent, compiled once and kept while there is room. */
@injectable()
export class CompiledMails {
  readonly #kept = new RecentlyUsed<CompiledMail>(KEPT, KEPT_BYTES, (_id, mail) => mail.bytes)

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Rendering) private readonly rendering: Rendering,
    @inject(Composing) private readonly composing: Composing,
    @inject(Signing) private readonly signing: Signing,
    @inject(Links) private readonly links: Links,
  ) {}

  /** Throws EngineError `CONFLICT` when the content may not go out now: marketing mail that nobody could unsubscribe from. */
  requireSendable({ marketing }: Pick<MailContent, 'marketing'>): void {
    if (marketing) this.links.requireReachable()
  }

  /**
   * Answers a trial of the content: a function that throws EngineError `VALIDATION_ERROR` when it breaks a limit with
   * some variables. Throws the same when a placeholder does not parse.
   */
  trialOf({ subject, html, text }: MailContent): (variables: JsonObject) => void {
    const parts = [this.rendering.compile(subject, 'text', 'subject'), this.rendering.compile(html, 'html', 'body')]
    if (text !== undefined) parts.push(this.rendering.compile(text, 'text', 'text'))
    return (variables) => {
      for (const part of parts) part.trial(variables, {})
    }
  }

  /**
   * Contents that are kept, or read and compiled now, as many as fit into memory together; `find` reads the others when
   * their turn comes. Throws when the store cannot be read.
   */
  async load(ids: readonly string[]): Promise<ReadonlyMap<string, CompiledMail>> {
    const wanted = new Map<string, CompiledMail>()
    const absent = new Set<string>()
    for (const id of ids) {
      const kept = this.#kept.get(id)
      if (kept) wanted.set(id, kept)
      else absent.add(id)
    }
    if (absent.size === 0) return wanted
    for (const content of await this.store.emails.contents([...absent], LOADED_BYTES)) {
      const mail = this.#compile(content)
      this.#kept.set(content.id, mail)
      wanted.set(content.id, mail)
    }
    return wanted
  }

  /** One content; undefined when the store has lost it. */
  async find(id: string): Promise<CompiledMail | undefined> {
    return (await this.load([id])).get(id)
  }

  /** A content that is stored nowhere. Throws EngineError `VALIDATION_ERROR` when a placeholder does not parse. */
  of(content: MailContent): CompiledMail {
    return this.#compile(content)
  }

  #compile(content: MailContent): CompiledMail {
    const makers = { composing: this.composing, signing: this.signing, links: this.links }
    return new CompiledMail(content, new MailBodies(content, this.rendering, this.links), makers)
  }
}

/** The footer is in the recipient's language. */
const ALWAYS_ASKED = ['locale']
const NOBODY: ReadonlySet<string> = new Set()
