import { Composing } from '../composing/composing.ts'
import { inject, injectable } from '../di.ts'
import { EngineError } from '../errors.ts'
import type { OutgoingAttachment, OutgoingMail } from '../ports/mail-transport.ts'
import { Store } from '../ports/store.ts'
import { Rendering } from '../rendering/rendering.ts'
import type { JsonObject } from '../values/json.ts'
import type { MailContent } from './content.ts'
import type { Email } from './email.ts'
import { BodyTemplate, FilledMail, type MailTemplates } from './filled-mail.ts'

/** How many contents are kept compiled, and how many bytes they may have in all, attachments included. */
const KEPT = 500
const KEPT_BYTES = 64 * 1024 * 1024

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

  /** The mail for this recipient, dated `date`. Throws EngineError `VALIDATION_ERROR` when the subject breaks a limit. */
  outgoing(email: Email & { readonly subscribed?: boolean }, date: Date): OutgoingMail {
    const given = { templates: this.templates, composing: this.composing, attachments: this.#attachments, date }
    return new FilledMail(email, this.content, given)
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
  readonly #kept = new Map<string, CompiledMail>()
  #bytes = 0

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Rendering) private readonly rendering: Rendering,
    @inject(Composing) private readonly composing: Composing,
  ) {}

  /**
   * Throws EngineError `VALIDATION_ERROR` when the content has a placeholder that does not parse, or breaks a limit
   * with these variables.
   */
  check(content: MailContent, variables: JsonObject): void {
    const { subject, html, text } = content
    this.rendering.compile(subject, 'text', 'subject').trial(variables, {})
    this.rendering.compile(html, 'html', 'body').trial(variables, {})
    if (text !== undefined) this.rendering.compile(text, 'text', 'text').trial(variables, {})
  }

  /** Reads and compiles what is not kept yet. Throws when the store cannot be read. */
  async load(ids: readonly string[]): Promise<ReadonlyMap<string, CompiledMail>> {
    const wanted = new Map<string, CompiledMail>()
    const absent = new Set<string>()
    for (const id of ids) {
      const kept = this.#kept.get(id)
      if (kept) wanted.set(id, this.#touch(id, kept))
      else absent.add(id)
    }
    if (absent.size === 0) return wanted
    for (const content of await this.store.emails.contents([...absent])) {
      wanted.set(content.id, this.#keep(content.id, this.#compile(content)))
    }
    return wanted
  }

  /** One content. Throws EngineError `INTERNAL_SERVER_ERROR` when the store has lost it. */
  async one(id: string): Promise<CompiledMail> {
    const mail = (await this.load([id])).get(id)
    if (!mail) throw new EngineError('INTERNAL_SERVER_ERROR', 'The content of this e-mail is gone.')
    return mail
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

  #touch(id: string, mail: CompiledMail): CompiledMail {
    this.#kept.delete(id)
    this.#kept.set(id, mail)
    return mail
  }

  #keep(id: string, mail: CompiledMail): CompiledMail {
    this.#kept.set(id, mail)
    this.#bytes += mail.bytes
    for (const [oldest, old] of this.#kept) {
      if (this.#kept.size <= KEPT && this.#bytes <= KEPT_BYTES) break
      this.#kept.delete(oldest)
      this.#bytes -= old.bytes
    }
    return mail
  }
}
