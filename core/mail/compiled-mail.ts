import type { OutgoingAttachment, OutgoingMail } from '../ports/mail-transport.ts'
import type { MailContent } from '../ports/store/contents.ts'
import type { Email } from '../ports/store/emails.ts'
import type { JsonObject } from '../values/json.ts'
import type { Pace } from '../values/pace.ts'
import { nameSources, nameTemplate, renderMail } from './compile-mail.ts'
import {
  BodyTemplate,
  type ComposedMail,
  FilledMail,
  FixedFields,
  forReplies,
  type MailTemplates,
} from './composed-mail.ts'
import { isForgotten, type MailFacts, type MailToFill } from './email.ts'
import { showsLink } from './html/shown-link.ts'
import type { TrackedHtml } from './html/tracked-html.ts'
import { UNSUBSCRIBE_PAGES } from './html/way-out.ts'
import type { WaysBack } from './links/ways-back.ts'
import { MailBodies } from './mail-bodies.ts'
import { MailValues } from './mail-values.ts'
import type { BackAddresses, MadeMail, MailMakers, Outgoing } from './makers.ts'
import type { Rendering } from './render/rendering.ts'
import { SlowRender } from './render/slow-render.ts'
import type { CompiledTemplate } from './render/template.ts'
import { CompiledSubmission, isSubmission } from './submitted-mail.ts'
import { areHeavyValues, hasPlaceholders, isHeavy } from './thread/heavy-mail.ts'
import type { CheckedRendering, FinishedMail } from './thread/mail-question.ts'
import type { MailThreads } from './thread/mail-threads.ts'

/** How many contents are kept compiled, and how many bytes they may have in all, attachments included. */
export const KEPT = 500
export const KEPT_BYTES = 64 * 1024 * 1024

/** Where mails are made when that would block the event loop, and what is needed to make them there. */
export interface MailPlaces {
  readonly threads: MailThreads
  readonly pace: Pace
  readonly waysBack: WaysBack
}

/** The pieces of one mail that do not come from its content. */
export interface MailPieces {
  readonly ways: BackAddresses
  /** The message, when it is too heavy to be composed where mails are sent. */
  readonly made?: MadeMail
}

/**
 * A compiled content, ready to be filled in for each recipient. Its templates are compiled on first use, which throws
 * EngineError `VALIDATION_ERROR` when a placeholder does not parse.
 *
 * `fill`, `render`, `finish`, `target` and `asked` work here and now: threads use them. `outgoing`, `parts`,
 * `rendered`, `finished`, `linkTarget` and `keys` do the same on the event loop, one mail after the other, or in a
 * thread when the mail is heavy. A light content whose rendering turns out slow goes to the thread, too.
 */
export class CompiledMail implements MailTemplates {
  readonly content: MailContent
  /** Its approximate memory. */
  readonly bytes: number
  readonly #makers: MailMakers
  readonly #places: MailPlaces | undefined
  readonly #hasPlaceholders: boolean
  #isHeavy: boolean
  readonly #attachments: readonly OutgoingAttachment[]
  /** Set for a submitted message, which is no template. */
  readonly #submission: CompiledSubmission | undefined
  #bodies: MailBodies | undefined
  #html: BodyTemplate | undefined
  #text: BodyTemplate | undefined
  #untracked: MailTemplates | undefined
  #fixed: FixedFields | undefined
  #namesOnce: Pick<MailTemplates, 'fromName' | 'replyToNames'> | undefined

  /** Without `places` only what works here and now may be called. */
  constructor(content: MailContent, makers: MailMakers, places?: MailPlaces) {
    this.content = content
    this.bytes = bytesOf(content)
    this.#makers = makers
    this.#places = places
    this.#isHeavy = places !== undefined && isHeavy(content)
    this.#hasPlaceholders = content.submitted === undefined && hasPlaceholders(content.html, content.text ?? '')
    this.#submission = isSubmission(content) ? new CompiledSubmission(content, makers) : undefined
    this.#attachments = content.attachments.map(({ bytes, ...attachment }) => ({ ...attachment, content: bytes }))
  }

  get subject(): CompiledTemplate {
    return this.#makers.rendering.compileSubject(this.content.subject)
  }

  get html(): BodyTemplate {
    this.#html ??= new BodyTemplate(this.tracked ? this.#written.trackedTemplate : this.#written.templates.html)
    return this.#html
  }

  get text(): BodyTemplate {
    this.#text ??= new BodyTemplate(this.#written.templates.text)
    return this.#text
  }

  get tracked(): TrackedHtml | undefined {
    return this.content.tracking && this.#makers.links.isPublic ? this.#written.tracked : undefined
  }

  get fromName(): CompiledTemplate | undefined {
    return this.#names.fromName
  }

  get replyToNames(): MailTemplates['replyToNames'] {
    return this.#names.replyToNames
  }

  get #names() {
    const { from, replyTo } = this.content
    const { rendering } = this.#makers
    this.#namesOnce ??= {
      fromName: from.isLiteral ? undefined : nameTemplate(rendering, from.name),
      replyToNames: forReplies(replyTo).map(({ name }) => nameTemplate(rendering, name)),
    }
    return this.#namesOnce
  }

  /** The same for a recipient who is not tracked: the writer's links stay, and there is no pixel. */
  get #untrackedTemplates(): MailTemplates {
    const { templates } = this.#written
    const { subject, text, fromName, replyToNames } = this
    const html = new BodyTemplate(templates.html)
    this.#untracked ??= { subject, html, text, tracked: undefined, fromName, replyToNames }
    return this.#untracked
  }

  get #written(): MailBodies {
    this.#bodies ??= new MailBodies(this.content, this.#makers.rendering, this.#makers.links)
    return this.#bodies
  }

  /**
   * The mail for this recipient, dated `date`, without tracking when the contact allows none; `unwanted` (suppressed)
   * addresses get no copy. `made` is the part that was made before. Throws EngineError `VALIDATION_ERROR` when the
   * subject breaks a limit.
   */
  fill(
    email: MailToFill,
    date: Date,
    { unwanted = NOBODY, ways = {}, made }: Outgoing = {},
  ): ComposedMail & OutgoingMail {
    if (this.#submission) return this.#submission.fill(email, ways, made)
    const templates = email.tracking === 'none' && this.tracked ? this.#untrackedTemplates : this
    this.#fixed ??= new FixedFields(this.content)
    const [makers, attachments, fixed] = [this.#makers, this.#attachments, this.#fixed]
    const given = { templates, fixed, makers, attachments, date, unwanted, ways }
    return new FilledMail(email, this.content, made === undefined ? given : { ...given, made })
  }

  /**
   * The mail as its recipient sees it, for showing it to its sender: links keep their targets and nothing is tracked.
   * Throws EngineError `VALIDATION_ERROR` when it breaks a limit.
   */
  render(email: Email, { linkBase }: BackAddresses = {}): CheckedRendering {
    if (this.#submission) return this.#submission.rendered
    const templates = { tracked: undefined, fromName: this.fromName }
    const mailVariables = new MailValues(email, this.content, this.#makers.links.at(linkBase), templates)
    return renderMail(this.#written.templates, email.variables, mailVariables)
  }

  /**
   * The mail as it leaves, for checking it: with tracked links, the pixel and the footer. Throws EngineError
   * `VALIDATION_ERROR` when it breaks a limit.
   */
  finish(email: Email, { linkBase }: BackAddresses = {}): FinishedMail {
    const { tracked, fromName } = this
    const { templates } = this.#written
    const html = tracked ? this.#written.trackedTemplate : templates.html
    const values = new MailValues(email, this.content, this.#makers.links.at(linkBase), { tracked, fromName })
    const mail = renderMail({ ...templates, html }, email.variables, values)
    const pages = UNSUBSCRIBE_PAGES.flatMap((name) => values[name] ?? [])
    const inText = pages.some((page) => mail.text.includes(page))
    return { ...mail, wayOut: { html: showsLink(mail.html, pages), text: inText } }
  }

  /**
   * The target of link `number` in this recipient's mail: an http(s) address as the mail's writer and the recipient's
   * values gave it. Undefined when the mail has no such link, or one made of values that were removed. Throws as
   * `render` does.
   */
  target(email: Email, number: number): string | undefined {
    if (this.#submission) return this.#submission.target(number)
    const { tracked } = this.#written
    if (isForgotten(email, this.content)) return tracked.fixedTargets[number]
    const mailVariables = new MailValues(email, this.content, this.#makers.links, { tracked })
    return tracked.target(number, email.variables, mailVariables)
  }

  /**
   * The keys of the recipient's data that rendering may read; undefined when unknown. Its links and the plain text made
   * from the HTML read no others.
   */
  get asked(): ReadonlySet<string> | undefined {
    if (this.#submission) return new Set()
    const { subject, html, text } = this.#written.templates
    const parts = this.content.text === undefined ? [subject, html] : [subject, html, text]
    for (const name of [this.fromName, ...this.replyToNames]) if (name) parts.push(name)
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

  /** The facts of the recipient's mail; only the subject is rendered. Throws as `fill` does. */
  facts(email: Email, date: Date): MailFacts {
    return this.fill(email, date)
  }

  /** The mail for this recipient, composed; see `fill`. Throws EngineError `VALIDATION_ERROR` when it breaks a limit. */
  async outgoing(email: MailToFill, date: Date, unwanted: ReadonlySet<string>): Promise<OutgoingMail> {
    const given = { unwanted, ways: await this.#somewhere.waysBack.of(email, this.content) }
    const here = () => {
      const mail = this.fill(email, date, given)
      mail.composed()
      return mail
    }
    return this.#made(email, here, async ({ threads }) => {
      const made = await threads.mail(this.content, email, date, given)
      return this.fill(email, date, { ...given, made })
    })
  }

  /**
   * The parts that a thread that sends needs beside the content: a heavy mail is composed before. Throws as `outgoing`
   * does.
   */
  async parts(email: MailToFill, date: Date, unwanted: ReadonlySet<string>): Promise<MailPieces> {
    const ways = await this.#somewhere.waysBack.of(email, this.content)
    if (!this.#isHeavyFor(email)) return { ways }
    return { ways, made: await this.#somewhere.threads.mail(this.content, email, date, { unwanted, ways }) }
  }

  /** Making one of its mails took long: from now on they are heavy. */
  foundHeavy(): void {
    this.#isHeavy = true
  }

  /** See `render`. */
  async rendered(email: Email): Promise<CheckedRendering> {
    const ways = await this.#somewhere.waysBack.of(email, this.content)
    return this.#made(
      email,
      () => this.render(email, ways),
      ({ threads }) => threads.rendered(this.content, email, ways),
    )
  }

  /** See `finish`. */
  async finished(email: Email): Promise<FinishedMail> {
    const ways = await this.#somewhere.waysBack.of(email, this.content)
    return this.#made(
      email,
      () => this.finish(email, ways),
      ({ threads }) => threads.finished(this.content, email, ways),
    )
  }

  /** See `target`. */
  linkTarget(email: Email, number: number): Promise<string | undefined> {
    return this.#made(
      email,
      () => this.target(email, number),
      ({ threads }) => threads.target(this.content, email, number),
    )
  }

  /** See `asked`. */
  keys(): Promise<ReadonlySet<string> | undefined> {
    const { threads, pace } = this.#somewhere
    return this.#isHeavy ? threads.keys(this.content) : pace.run(() => this.asked)
  }

  async #made<T>(
    email: Pick<Email, 'variables'>,
    here: () => T,
    inThread: (places: MailPlaces) => Promise<T>,
  ): Promise<T> {
    const places = this.#somewhere
    if (!this.#isHeavyFor(email)) {
      try {
        return await places.pace.run(here)
      } catch (error) {
        if (!(error instanceof SlowRender)) throw error
        this.foundHeavy()
      }
    }
    return inThread(places)
  }

  #isHeavyFor({ variables }: Pick<Email, 'variables'>): boolean {
    return this.#isHeavy || (this.#hasPlaceholders && areHeavyValues(variables))
  }

  get #somewhere(): MailPlaces {
    if (this.#places === undefined) throw new Error('this mail is made in a thread')
    return this.#places
  }
}

/** The approximate memory of a compiled content. */
export function bytesOf({ subject, html, text = '', attachments }: MailContent): number {
  return attachments.reduce((sum, { bytes }) => sum + bytes.length, 8 * (subject.length + html.length + text.length))
}

/**
 * Answers a function that throws EngineError `VALIDATION_ERROR` when the content breaks a limit with some variables.
 * Throws the same when a placeholder does not parse.
 */
export function validatorOf(
  rendering: Rendering,
  { subject, html, text, from, replyTo }: MailContent,
): (variables: JsonObject) => void {
  const parts = [rendering.compileSubject(subject), rendering.compile(html, 'html', 'body')]
  for (const { source, field } of nameSources({ fromName: from.isLiteral ? undefined : from.name, replyTo }, ''))
    parts.push(rendering.compileSubject(source, field))
  if (text !== undefined) parts.push(rendering.compile(text, 'text', 'text'))
  return (variables) => {
    for (const part of parts) part.validate(variables, {})
  }
}

/** Always read, since the footer is in the recipient's language. */
const ALWAYS_ASKED = ['locale']
const NOBODY: ReadonlySet<string> = new Set()
