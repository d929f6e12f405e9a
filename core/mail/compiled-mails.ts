import { inject, injectable } from '../di.ts'
import { EngineError, type FieldProblem } from '../errors.ts'
import type { MailContent } from '../ports/store/contents.ts'
import { Store } from '../ports/store/store.ts'
import type { JsonObject } from '../values/json.ts'
import { Pace } from '../values/pace.ts'
import { refused } from '../values/parse.ts'
import { RecentlyUsed } from '../values/recently-used.ts'
import { compileMail, compileSource, renderMail } from './compile-mail.ts'
import { KEPT, KEPT_BYTES, validatorOf } from './compiled-mail.ts'
import { Signing } from './dkim/signing.ts'
import { BounceHosts } from './links/bounce-hosts.ts'
import { LinkHosts } from './links/link-hosts.ts'
import { Links } from './links/links.ts'
import { ReturnPaths } from './links/return-paths.ts'
import { UnsubscribeAddresses } from './links/unsubscribe-addresses.ts'
import { linksOnly } from './links-only.ts'
import type { MailMakers } from './makers.ts'
import { Composing } from './mime/composing.ts'
import { ReadyMail, type ReadyMailTools } from './ready-mail.ts'
import { Rendering } from './render/rendering.ts'
import { SlowRender } from './render/slow-render.ts'
import { areHeavyValues, hasPlaceholders, isHeavy, isHeavySource } from './thread/heavy-mail.ts'
import type { Fill, RenderedMail, TemplateSource } from './thread/mail-question.ts'
import { MailThreads } from './thread/mail-threads.ts'

/** How many bytes of words and attachments are read at once; a single content may have more. */
const LOADED_BYTES = 16 * 1024 * 1024
/** How long all trials of one request may keep the event loop, in milliseconds. */
const VALIDATION_MS = 50

/** Throws when the content breaks a limit with some of these variables. */
export type Validate = (all: readonly JsonObject[]) => void

/** The contents that are being sent, compiled once and kept while there is room. */
@injectable()
export class CompiledMails {
  readonly #kept = new RecentlyUsed<ReadyMail>(KEPT, KEPT_BYTES, (_id, mail) => mail.bytes)
  readonly #makers: MailMakers
  readonly #tools: ReadyMailTools
  readonly #pace = new Pace()

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Rendering) private readonly rendering: Rendering,
    @inject(MailThreads) private readonly threads: MailThreads,
    @inject(Composing) composing: Composing,
    @inject(Signing) signing: Signing,
    @inject(Links) private readonly links: Links,
    @inject(ReturnPaths) returnPaths: ReturnPaths,
    @inject(UnsubscribeAddresses) addresses: UnsubscribeAddresses,
    @inject(LinkHosts) linkHosts: LinkHosts,
    @inject(BounceHosts) bounceHosts: BounceHosts,
  ) {
    this.#makers = { rendering, composing, signing, links, returnPaths }
    this.#tools = {
      threads,
      pace: this.#pace,
      waysBack: async ({ id, contactId }, { marketing, projectId, from }) => ({
        linkBase: await linkHosts.of(projectId, from.email),
        ...(marketing && contactId !== undefined ? { unsubscribeAddress: addresses.of(id) } : {}),
        bounceHost: await bounceHosts.of(from.email),
      }),
    }
  }

  /** Throws EngineError `CONFLICT` when the content may not go out now: marketing mail that nobody could unsubscribe from. */
  requireSendable({ marketing }: Pick<MailContent, 'marketing'>): void {
    if (marketing) this.links.requireReachable()
  }

  /** Throws EngineError `VALIDATION_ERROR` over everything wrong with sources that are to be templates. */
  async check(sources: readonly TemplateSource[]): Promise<void> {
    if (isHeavySource(sources.map(({ source }) => source).join(''))) return this.threads.check(sources)
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

  /** A subject and a body, filled in. Throws EngineError `VALIDATION_ERROR`. */
  async render(subject: string, html: string, fill: Fill): Promise<RenderedMail> {
    const { variables, mailVariables } = fill
    if (!isHeavySource(html) && !areHeavyValues(variables)) {
      try {
        const make = () => renderMail(compileMail(this.rendering, { subject, html }), variables, mailVariables)
        return await this.#pace.run(make)
      } catch (error) {
        if (!(error instanceof SlowRender)) throw error
      }
    }
    return this.threads.render(subject, html, fill)
  }

  /**
   * Lets `take` validate the content with variables that only it knows, as `validatorOf` does. It is called again, and the second
   * time checks nothing, when validating takes long and had to be done in a thread meanwhile: what it throws then is no
   * fault of its own. Answers what it answers; throws EngineError `VALIDATION_ERROR` when validating fails.
   */
  async withValidator<T>(content: MailContent, take: (validate: Validate) => Promise<T>): Promise<T> {
    const { html, text = '', subject } = content
    if (content.submitted || !hasPlaceholders(subject, html, text)) return take(() => {})
    const validate = isHeavy({ html, text, attachments: [] }) ? notValidated : this.validatorOf(content)
    try {
      return await take(validate)
    } catch (error) {
      if (!(error instanceof NotValidated)) throw error
      await this.threads.validate(content, error.variables)
      return take(() => {})
    }
  }

  /**
   * Validates on the event loop a content that is not heavy. Throws EngineError `VALIDATION_ERROR` when a placeholder
   * does not parse.
   */
  validatorOf(content: MailContent): Validate {
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

  /**
   * The same where nobody can wait: what would take long is not tried, and fails when it is delivered.
   */
  briefValidatorOf(content: MailContent): Validate {
    if (isHeavy({ ...content, attachments: [] })) return () => {}
    const validate = this.validatorOf(content)
    return (all) => {
      try {
        validate(all)
      } catch (error) {
        if (!(error instanceof NotValidated)) throw error
      }
    }
  }

  /**
   * Contents that are kept, or read now, as many as fit into memory together; `find` reads the others when their turn
   * comes. Throws when the store cannot be read.
   */
  async load(ids: readonly string[]): Promise<ReadonlyMap<string, ReadyMail>> {
    const wanted = new Map<string, ReadyMail>()
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

  /** One content; undefined when the store has lost it. */
  async find(id: string): Promise<ReadyMail | undefined> {
    return (await this.load([id])).get(id)
  }

  /** What is left of a content that is to be forgotten: who sent it, and where its links lead. */
  linksOnly(content: MailContent): Promise<MailContent> {
    if (isHeavy(content)) return this.threads.linksOnly(content)
    return this.#pace.run(() => linksOnly(this.rendering, content))
  }

  /** A content that is stored nowhere. */
  of(content: MailContent): ReadyMail {
    return new ReadyMail(content, this.#makers, this.#tools)
  }
}

/** Validating with these would take too long here. */
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
