import type { OutgoingMail } from '../ports/mail-transport.ts'
import type { MailContent } from '../ports/store/contents.ts'
import type { Email } from '../ports/store/emails.ts'
import type { Pace } from '../values/pace.ts'
import { bytesOf, CompiledMail } from './compiled-mail.ts'
import type { MailToFill } from './email.ts'
import type { MailFacts } from './email-event.ts'
import type { MadeMail, MailMakers, WaysBack } from './makers.ts'
import { SlowRender } from './render/slow-render.ts'
import { areHeavyValues, hasPlaceholders, isHeavy } from './thread/heavy-mail.ts'
import type { FinishedMail, RenderedMail } from './thread/mail-question.ts'
import type { MailThreads } from './thread/mail-threads.ts'

/** The tools that make mails. */
export interface ReadyMailTools {
  readonly threads: MailThreads
  readonly pace: Pace
  waysBack(email: Pick<Email, 'id' | 'contactId'>, content: MailContent): WaysBack | Promise<WaysBack>
}

/** The pieces of one mail that do not come from its content. */
export interface MailPieces {
  readonly ways: WaysBack
  /** The message, when it is too heavy to be composed where mails are sent. */
  readonly made?: MadeMail
}

/**
 * A content and where its mails are made: on the event loop, one after the other, or in a thread when that would block
 * it. A light content whose rendering turns out slow goes to the thread, too.
 */
export class ReadyMail {
  readonly content: MailContent
  readonly bytes: number
  readonly #compiled: CompiledMail
  readonly #threads: MailThreads
  readonly #pace: Pace
  readonly #hasPlaceholders: boolean
  readonly #waysBack: ReadyMailTools['waysBack']
  #isHeavy: boolean

  constructor(content: MailContent, makers: MailMakers, given: ReadyMailTools) {
    const { threads, pace, waysBack } = given
    this.content = content
    this.bytes = bytesOf(content)
    this.#compiled = new CompiledMail(content, makers)
    this.#threads = threads
    this.#pace = pace
    this.#waysBack = waysBack
    this.#isHeavy = isHeavy(content)
    this.#hasPlaceholders = content.submitted === undefined && hasPlaceholders(content.html, content.text ?? '')
  }

  /**
   * The mail for this recipient, composed; see `CompiledMail.outgoing`. Throws EngineError `VALIDATION_ERROR` when it
   * breaks a limit.
   */
  async outgoing(email: MailToFill, date: Date, unwanted: ReadonlySet<string>): Promise<OutgoingMail> {
    const given = { unwanted, ways: await this.#waysBack(email, this.content) }
    const here = () => {
      const mail = this.#compiled.outgoing(email, date, given)
      mail.composed()
      return mail
    }
    return this.#made(email, here, async () => {
      const made = await this.#threads.mail(this.content, email, date, given)
      return this.#compiled.outgoing(email, date, { ...given, made })
    })
  }

  /**
   * What a thread that sends needs to make the mail beside its content: when it is heavy, it is composed before. Throws
   * as `outgoing` does.
   */
  async parts(email: MailToFill, date: Date, unwanted: ReadonlySet<string>): Promise<MailPieces> {
    const ways = await this.#waysBack(email, this.content)
    if (!this.#isHeavyFor(email)) return { ways }
    return { ways, made: await this.#threads.mail(this.content, email, date, { unwanted, ways }) }
  }

  /** Making one of its mails took long: from now on they are heavy. */
  foundHeavy(): void {
    this.#isHeavy = true
  }

  /** The facts of the recipient's mail; only the subject is rendered. Throws as `outgoing` does. */
  facts(email: Email, date: Date): MailFacts {
    return this.#compiled.outgoing(email, date)
  }

  /** See `CompiledMail.rendered`. */
  async rendered(email: Email): Promise<RenderedMail> {
    const ways = await this.#waysBack(email, this.content)
    return this.#made(
      email,
      () => this.#compiled.rendered(email, ways),
      () => this.#threads.rendered(this.content, email, ways),
    )
  }

  /** See `CompiledMail.finished`. */
  async finished(email: Email): Promise<FinishedMail> {
    const ways = await this.#waysBack(email, this.content)
    return this.#made(
      email,
      () => this.#compiled.finished(email, ways),
      () => this.#threads.finished(this.content, email, ways),
    )
  }

  /** See `CompiledMail.linkTarget`. */
  linkTarget(email: Email, number: number): Promise<string | undefined> {
    return this.#made(
      email,
      () => this.#compiled.linkTarget(email, number),
      () => this.#threads.target(this.content, email, number),
    )
  }

  /** See `CompiledMail.keys`. */
  keys(): Promise<ReadonlySet<string> | undefined> {
    if (this.#isHeavy) return this.#threads.keys(this.content)
    return this.#pace.run(() => this.#compiled.keys)
  }

  /** The addresses of everybody who gets a copy. */
  get copies(): readonly string[] {
    return this.#compiled.copies
  }

  async #made<T>(email: Pick<Email, 'variables'>, here: () => T, inThread: () => Promise<T>): Promise<T> {
    if (!this.#isHeavyFor(email)) {
      try {
        return await this.#pace.run(here)
      } catch (error) {
        if (!(error instanceof SlowRender)) throw error
        this.foundHeavy()
      }
    }
    return inThread()
  }

  #isHeavyFor({ variables }: Pick<Email, 'variables'>): boolean {
    return this.#isHeavy || (this.#hasPlaceholders && areHeavyValues(variables))
  }
}
