import { inject, injectable } from '../di.ts'
import { EngineError, type FieldProblem } from '../errors.ts'
import type { MailContent } from '../ports/store/contents.ts'
import { Store } from '../ports/store/store.ts'
import type { JsonObject, Untrusted } from '../values/json.ts'
import { Pace } from '../values/pace.ts'
import { noteWarning, refused } from '../values/parse.ts'
import { RecentlyUsed } from '../values/recently-used.ts'
import type { Warning } from '../values/unknown-keys.ts'
import { compileMail, compileSource, renderMail, subjectLine } from './compile-mail.ts'
import { CompiledMail, KEPT, KEPT_BYTES, type MailPlaces, validatorOf } from './compiled-mail.ts'
import { DomainKeys } from './dkim/domain-keys.ts'
import { LinkSettings, Links } from './links/links.ts'
import { WaysBack } from './links/ways-back.ts'
import { linksOnly } from './links-only.ts'
import type { MailMakers } from './makers.ts'
import { Composing } from './mime/composing.ts'
import { placeWarnings } from './render/place-warnings.ts'
import { Rendering } from './render/rendering.ts'
import { SlowRender } from './render/slow-render.ts'
import { areHeavyValues, hasPlaceholders, isHeavy, isHeavySource } from './thread/heavy-mail.ts'
import type { CheckedRendering, Fill, TemplateSource } from './thread/mail-question.ts'
import { MailThreads } from './thread/mail-threads.ts'

/** How many bytes of content are read at once; a single content may have more. */
const LOADED_BYTES = 16 * 1024 * 1024
/** How long all validation for one request may block the event loop, in milliseconds. */
const VALIDATION_MS = 50

/** Throws when the content breaks a limit with some of these variables. */
export type Validate = (all: readonly JsonObject[]) => void

/** The contents that are being sent, compiled once and cached. */
@injectable()
export class CompiledMails {
  readonly #kept = new RecentlyUsed<CompiledMail>(KEPT, KEPT_BYTES, (_id, mail) => mail.bytes)
  readonly #placeWarnings = new RecentlyUsed<readonly Warning[]>(KEPT, KEPT_BYTES, (body) => body.length)
  readonly #makers: MailMakers
  readonly #places: MailPlaces
  readonly #threads: MailThreads
  readonly #pace = new Pace()

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Rendering) private readonly rendering: Rendering,
    @inject(Links) private readonly links: Links,
    @inject(DomainKeys) signing: DomainKeys,
    @inject(WaysBack) waysBack: WaysBack,
    @inject(LinkSettings) settings: LinkSettings,
    threads = new MailThreads(settings),
  ) {
    this.#makers = { rendering, composing: new Composing(), signing, links }
    this.#threads = threads
    this.#places = { threads, pace: this.#pace, waysBack }
  }

  /** Throws EngineError `CONFLICT` for marketing mail whose recipients could not unsubscribe now. */
  requireSendable({ marketing, projectId }: Pick<MailContent, 'marketing' | 'projectId'>): void {
    if (marketing) this.links.requireReachable(projectId)
  }

  /**
   * Throws EngineError `VALIDATION_ERROR` with every problem of these template sources. What is only odd in them becomes
   * a warning of the `input` that they are from.
   */
  async check(sources: readonly TemplateSource[], input?: Untrusted): Promise<void> {
    await this.#check(sources)
    for (const { kind, source, field } of sources) {
      if (kind === 'mail' || kind === 'html') this.warnOfPlaces(source, field.replace(/^config\./, ''), input)
    }
  }

  /** Warns of values that a body prints where they could be taken for more than a value. */
  warnOfPlaces(body: string, field: string, input: Untrusted): void {
    let warnings = this.#placeWarnings.get(body)
    if (warnings === undefined) {
      warnings = placeWarnings(body, field)
      this.#placeWarnings.set(body, warnings)
    }
    for (const { message } of warnings) noteWarning(input, { field, message })
  }

  /** How many of these recipients would get a mail without a subject. */
  blankSubjects({ submitted, subject }: MailContent, all: readonly JsonObject[]): number {
    if (
      submitted !== undefined ||
      (subject.replace(/\{\{.*?(?:\}\}|$)|\{%.*?(?:%\}|$)/gs, '').trim() !== '' && !subject.includes('{%'))
    )
      return 0
    const template = this.rendering.compileSubject(subject)
    return all.filter((variables) => subjectLine(template, variables, SOMEBODY).trim() === '').length
  }

  async #check(sources: readonly TemplateSource[]): Promise<void> {
    if (isHeavySource(sources.map(({ source }) => source).join(''))) return this.#threads.check(sources)
    const problems: FieldProblem[] = []
    for (const source of sources) {
      try {
        await this.#pace.run(() => compileSource(this.rendering, source))
      } catch (error) {
        if (!EngineError.is(error) || error.code !== 'VALIDATION_ERROR') throw error
        problems.push(...error.fields)
      }
    }
    if (problems.length > 0) throw refused(problems)
  }

  /** Renders a subject and a body. Throws EngineError `VALIDATION_ERROR`. */
  async render(subject: string, html: string, fill: Fill): Promise<CheckedRendering> {
    const { variables, mailVariables } = fill
    if (!isHeavySource(html) && !areHeavyValues(variables)) {
      try {
        const make = () => renderMail(compileMail(this.rendering, { subject, html }), variables, mailVariables)
        return await this.#pace.run(make)
      } catch (error) {
        if (!(error instanceof SlowRender)) throw error
      }
    }
    return this.#threads.render(subject, html, fill)
  }

  /** True when a recipient's values can make a difference to the content. */
  isFilledIn({ submitted, subject, html, text = '', from, replyTo = '' }: MailContent): boolean {
    return submitted === undefined && hasPlaceholders(subject, html, text, from.name ?? '', replyTo)
  }

  /**
   * Calls `take` with a function that validates the content with variables only `take` knows, as `validatorOf` does.
   * When validating takes long, it is done in a thread, and `take` is called again with a function that checks nothing;
   * what it throws then is a real error. Answers what `take` answers; throws EngineError `VALIDATION_ERROR` when
   * validation fails.
   */
  async withValidator<T>(content: MailContent, take: (validate: Validate) => Promise<T>): Promise<T> {
    if (!this.isFilledIn(content)) return take(() => {})
    const { html, text = '' } = content
    const validate = isHeavy({ html, text, attachments: [] }) ? notValidated : this.#validatorHere(content)
    try {
      return await take(validate)
    } catch (error) {
      if (!(error instanceof NotValidated)) throw error
      await this.#threads.validate(content, error.variables)
      return take(() => {})
    }
  }

  /**
   * Validates a content that is not heavy on the event loop. Throws EngineError `VALIDATION_ERROR` when a placeholder
   * does not parse.
   */
  #validatorHere(content: MailContent): Validate {
    const validate = validatorOf(this.rendering, content)
    return (all) => {
      const begun = performance.now()
      for (const variables of all) {
        if (performance.now() - begun > VALIDATION_MS) throw new NotValidated(all)
        try {
          validate(variables)
        } catch (error) {
          throw error instanceof SlowRender ? new NotValidated(all) : error
        }
      }
    }
  }

  /** The same for callers that cannot wait: what would take long is skipped, and fails at delivery if it is wrong. */
  briefValidatorOf(content: MailContent): Validate {
    if (isHeavy({ ...content, attachments: [] })) return () => {}
    const validate = this.#validatorHere(content)
    return (all) => {
      try {
        validate(all)
      } catch (error) {
        if (!(error instanceof NotValidated)) throw error
      }
    }
  }

  /**
   * Loads as many of these contents as fit into memory together, from the cache or the store; `find` loads the others
   * later. Throws when the store cannot be read.
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
      const mail = this.of(content)
      this.#kept.set(content.id, mail)
      wanted.set(content.id, mail)
    }
    return wanted
  }

  /** One content; undefined when the store no longer has it. */
  async find(id: string): Promise<CompiledMail | undefined> {
    return (await this.load([id])).get(id)
  }

  /** A content without its texts and its files, which may be large. Throws what the store throws. */
  async head(id: string): Promise<MailContent | undefined> {
    return (await this.store.emails.contentHeads([id]))[0]
  }

  /** The rest of a content that is deleted: its sender, and the targets of its links. */
  linksOnly(content: MailContent): Promise<MailContent> {
    if (isHeavy(content)) return this.#threads.linksOnly(content)
    return this.#pace.run(() => linksOnly(this.rendering, content))
  }

  /** Ends the threads for heavy mail. */
  close(): Promise<void> {
    return this.#threads.close()
  }

  /** A content that is not stored. */
  of(content: MailContent): CompiledMail {
    return new CompiledMail(content, this.#makers, this.#places)
  }
}

/** The values that every recipient has. */
const PAGES = { unsubscribeUrl: 'x', subscribeUrl: 'x', manageUrl: 'x', viewUrl: 'x' }
const SOMEBODY = { id: 'x', email: 'x', subscribed: true, ...PAGES }

/** Validating with these variables would take too long here. */
class NotValidated extends Error {
  readonly variables: readonly JsonObject[]

  constructor(variables: readonly JsonObject[]) {
    super('not validated yet')
    this.variables = variables
  }
}

function notValidated(all: readonly JsonObject[]): never {
  throw new NotValidated(all)
}

/** The classes of this room that the container makes besides its doors. */
export const MAIL = {
  domainKeys: DomainKeys,
  waysBack: WaysBack,
  compiledMails: CompiledMails,
}
