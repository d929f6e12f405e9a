import { EngineError, invalidField } from '../../errors.ts'
import type { MailContent } from '../../ports/store/contents.ts'
import type { Email } from '../../ports/store/emails.ts'
import type { JsonObject } from '../../values/json.ts'
import { Thread, ThreadOverrun } from '../../work/thread.ts'
import type { MailToFill } from '../email.ts'
import type { LinkSettings } from '../links/links.ts'
import type { BackAddresses, MadeMail, Outgoing } from '../makers.ts'
import {
  type CheckedRendering,
  type ContentQuestion,
  type Fill,
  type FinishedMail,
  type MailQuestion,
  type MailThreadData,
  type TemplateSource,
  UNKNOWN,
} from './mail-question.ts'

/** How long one request to a thread may take, in milliseconds: an API request waits for its answer, a mail does not. */
const REQUEST_MS = 10_000
const MAIL_MS = 120_000
/** How long all validation of one request may take in a thread, in milliseconds. */
const VALIDATION_MS = 3_000
const MEMORY_MB = 1024

/** Their code. */
export const MAIL_THREAD = new URL('./mail-thread.ts', import.meta.url)

type Without<T, Key extends PropertyKey> = T extends unknown ? Omit<T, Key> : never

/**
 * The threads that check, render and compose heavy mail: one for API requests, one for delivery. They start on first
 * use.
 */
export class MailThreads {
  readonly #requests: Thread<MailQuestion>
  readonly #deliveries: Thread<MailQuestion>

  constructor({ publicUrl, secret }: LinkSettings, validationMs = VALIDATION_MS) {
    const data: MailThreadData = { publicUrl, secret, validationMs }
    const given = { file: MAIL_THREAD, data, memory: MEMORY_MB }
    this.#requests = new Thread({ ...given, name: 'mailwright-requests', patience: REQUEST_MS })
    this.#deliveries = new Thread({ ...given, name: 'mailwright-mails', patience: MAIL_MS })
  }

  /** Throws EngineError `VALIDATION_ERROR` with every problem of the sources. */
  async check(sources: readonly TemplateSource[]): Promise<void> {
    await withFieldErrors(this.#requests.ask({ ask: 'check', sources }), sources[0]?.field)
  }

  /** Renders the preview of a subject and a body. Throws EngineError `VALIDATION_ERROR`. */
  async render(subject: string, html: string, fill: Fill): Promise<CheckedRendering> {
    return (await withFieldErrors(this.#requests.ask({ ask: 'render', subject, html, fill }))) as CheckedRendering
  }

  /** Throws EngineError `VALIDATION_ERROR` when the content breaks a limit with one of these. */
  async validate(content: MailContent, variables: readonly JsonObject[]): Promise<void> {
    await this.#about(this.#requests, content, { ask: 'validate', variables })
  }

  /** The rendered mail. Throws EngineError `VALIDATION_ERROR` when it breaks a limit. */
  async rendered(content: MailContent, email: Email, ways: BackAddresses): Promise<CheckedRendering> {
    return (await this.#about(this.#requests, content, { ask: 'rendered', email, ways })) as CheckedRendering
  }

  /** The mail as it leaves; see `CompiledMail.finish`. Throws as `rendered` does. */
  async finished(content: MailContent, email: Email, ways: BackAddresses): Promise<FinishedMail> {
    return (await this.#about(this.#requests, content, { ask: 'finished', email, ways })) as FinishedMail
  }

  /** The target of a link in the mail. Throws as `rendered` does. */
  async target(content: MailContent, email: Email, number: number): Promise<string | undefined> {
    return (await this.#about(this.#requests, content, { ask: 'target', email, number })) as string | undefined
  }

  /** The keys of the data it may read; see `CompiledMail.asked`. Throws as `rendered` does. */
  async keys(content: MailContent): Promise<ReadonlySet<string> | undefined> {
    return (await this.#about(this.#deliveries, content, { ask: 'keys' })) as ReadonlySet<string> | undefined
  }

  /** The rest of a content that is deleted; see `linksOnly`. */
  async linksOnly(content: MailContent): Promise<MailContent> {
    return (await withFieldErrors(this.#deliveries.ask({ ask: 'links', content }))) as MailContent
  }

  /** The mail, composed. Throws as `rendered` does. */
  async mail(
    content: MailContent,
    email: MailToFill,
    date: Date,
    given: Required<Pick<Outgoing, 'unwanted' | 'ways'>>,
  ): Promise<MadeMail> {
    return (await this.#about(this.#deliveries, content, { ask: 'mail', email, date, ...given })) as MadeMail
  }

  async close(): Promise<void> {
    await Promise.all([this.#requests.close(), this.#deliveries.close()])
  }

  /** Sends the content along only when the thread does not have it: it may have 40 MB. */
  async #about(
    thread: Thread<MailQuestion>,
    content: MailContent,
    question: Without<ContentQuestion, 'id' | 'content'>,
  ): Promise<unknown> {
    const { id } = content
    const asked = async () => {
      const answer = await thread.ask({ ...question, id })
      return answer === UNKNOWN ? thread.ask({ ...question, id, content }) : answer
    }
    return withFieldErrors(asked())
  }
}

async function withFieldErrors(answer: Promise<unknown>, field = 'body'): Promise<unknown> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof ThreadOverrun) throw invalidField(field, 'too_big', 'takes too much time or memory to fill in')
    // an EngineError is meant for the caller; anything else is a failure of the thread
    throw EngineError.is(error) ? error : new Error('a thread for mails failed', { cause: error })
  }
}
