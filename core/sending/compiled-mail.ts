import { Composing } from '../composing/composing.ts'
import { inject, injectable } from '../di.ts'
import type { OutgoingAttachment, OutgoingMail } from '../ports/mail-transport.ts'
import { Store } from '../ports/store.ts'
import { Rendering } from '../rendering/rendering.ts'
import type { JsonObject } from '../values/json.ts'
import { RecentlyUsed } from '../values/recently-used.ts'
import type { MailContent } from './content.ts'
import type { Email } from './email.ts'
import { BodyTemplate, FilledMail, type MailTemplates } from './filled-mail.ts'

/** How many contents are kept compiled, and how many bytes they may have in all, attachments included. */
const KEPT = 500
const KEPT_BYTES = 64 * 1024 * 1024
/** How many bytes of attachments are read at once; a single content may have more. */
const LOADED_BYTES = 16 * 1024 * 1024

/** A content made ready: filling it in for a recipient is all that is left to do. */
export class CompiledMail {
  readonly #attachments: readonly OutgoingAttachment[]

  constructor(
    readonly content: MailContent,
    private readonly templates: MailTemplates,
    private readonly composing: Composing,
  ) {
    this.#attachments = content.attachments.map(({ bytes, ...attachment }) => ({ ...attachment, content: bytes }))
  }

  /**
   * The mail for this recipient, dated `date`; who is unwanted (suppressed) gets no copy. Throws EngineError `VALIDATION_ERROR` when the
   * subject breaks a limit.
   */
  outgoing(email: Email, date: Date, unwanted: ReadonlySet<string> = NOBODY): OutgoingMail {
    const given = { templates: this.templates, composing: this.composing, attachments: this.#attachments, date }
    return new FilledMail(email, this.content, { ...given, unwanted })
  }

  /** The addresses of everybody who gets a copy. */
  get copies(): readonly string[] {
    const { cc, bcc } = this.content
    return cc.length + bcc.length === 0 ? [] : [...cc, ...bcc].map(({ email }) => email)
  }

  /** About how much memory it takes. */
  get bytes(): number {
    const { subject, html, text = '', attachments } = this.content
    return attachments.reduce((sum, { bytes }) => sum + bytes.length, 4 * (subject.length + html.length + text.length))
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
  ) {}

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

  #compile(content: MailContent): CompiledMail {
    const { subject, html, text } = content
    const templates = {
      subject: this.rendering.compile(subject, 'text', 'subject'),
      html: new BodyTemplate(this.rendering.compile(html, 'html', 'body')),
      text: new BodyTemplate(
        text === undefined ? this.rendering.compileText(html, 'body') : this.rendering.compile(text, 'text', 'text'),
      ),
    }
    return new CompiledMail(content, templates, this.composing)
  }
}

const NOBODY: ReadonlySet<string> = new Set()
