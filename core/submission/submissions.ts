import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { inject, injectable } from '../di.ts'
import { EngineError } from '../errors.ts'
import { Kit } from '../kit.ts'
import { contentMarks, submittedContentId } from '../mail/content.ts'
import type { SendAnswer } from '../mails/accept.ts'
import type { SendOptions } from '../mails/send-options.ts'
import { Sending, type SubmitOptions } from '../mails/sending.ts'
import type { MailContent } from '../ports/store/contents.ts'
import type { Project } from '../ports/store/projects.ts'
import type {
  Login,
  SubmissionAnswer,
  SubmissionDesk,
  SubmissionLater,
  SubmissionRefused,
  Submitted,
  SubmittedMail,
  Submitter,
} from '../ports/submission.ts'
import { requireArea } from '../projects/caller.ts'
import type { Once } from '../projects/idempotency.ts'
import { domainsOf, isVerifiedDomain, requireEnabled, requireVerifiedDomain } from '../projects/project.ts'
import { Projects } from '../projects/projects.ts'
import { domainOf, EmailAddress } from '../values/email-address.ts'
import type { UntrustedInput } from '../values/input.ts'
import type { Json } from '../values/json.ts'
import { onlyKey } from '../values/options.ts'
import { ProjectLanes } from '../work/project-lanes.ts'
import { Thread, ThreadOverrun } from '../work/thread.ts'
import type { PreparedMessage, PrepareQuestion } from './prepared-message.ts'
import { readWholeMessage, type SendMessageInput, type WholeMessage } from './whole-message.ts'

/** How long preparing a message may take, in milliseconds, and how many megabytes of memory. */
const TIMEOUT_MS = 10_000
const MEMORY_MB = 512

const ACCEPTED = { outcome: 'accepted' } as const
const WRONG_LOGIN = 'the user name is the id of a project, and the password one of its secret keys (sk_…)'
const LATER = 'this cannot be done at present, try again later'

/** A message with its envelope. */
interface Message extends Pick<WholeMessage, 'to' | 'from'>, Partial<Pick<WholeMessage, 'scheduledFor' | 'tags'>> {
  readonly raw: PrepareQuestion['raw']
}

/** Where programs submit mail by SMTP, as others do by `POST /v1/send`. */
@injectable()
export class Submissions implements SubmissionDesk {
  readonly #thread = new Thread<PrepareQuestion>({
    file: new URL('./submission-thread.ts', import.meta.url),
    name: 'mailwright-submissions',
    patience: TIMEOUT_MS,
    memory: MEMORY_MB,
  })
  /** One message per project is prepared at a time, so that others get their turn. */
  readonly #lanes = new ProjectLanes(1)

  constructor(
    @inject(Projects) private readonly projects: Projects,
    @inject(Sending) private readonly sending: Sending,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /** See `SubmissionDesk`. */
  async login(user: string, password: string): Promise<Login> {
    try {
      const project = await this.#project(user, password)
      const submitter: Submitter = {
        sender: (address) => this.#sender(project.id, password, address),
        recipient: (address) => recipientOf(address),
        submit: (message) => this.#submit(project.id, password, message),
      }
      return { ...ACCEPTED, submitter }
    } catch (error) {
      return this.#refusal(error)
    }
  }

  /** Ends the thread. */
  close(): Promise<void> {
    return this.#thread.close()
  }

  /**
   * The project with this id and secret key. Throws EngineError `INVALID_API_KEY` for any mistake, `FORBIDDEN` for a key
   * that may not send.
   */
  async #project(id: string, key: string): Promise<Project> {
    const caller = await this.projects.caller(key)
    const { project, kind } = caller
    if (kind !== 'secret' || project.id !== id.trim().toLowerCase()) {
      throw new EngineError('INVALID_API_KEY', WRONG_LOGIN)
    }
    requireArea(caller, 'send')
    return project
  }

  async #sender(id: string, key: string, address: string): Promise<SubmissionAnswer> {
    try {
      const project = await this.#project(id, key)
      requireEnabled(project)
      // the envelope's domain may differ from the author's; a project without domains can send nothing
      if (domainsOf(project).length === 0) requireVerifiedDomain(project, address)
      return ACCEPTED
    } catch (error) {
      return this.#refusal(error)
    }
  }

  async #submit(id: string, key: string, { envelope, raw }: SubmittedMail): Promise<Submitted> {
    try {
      const project = await this.#project(id, key)
      requireEnabled(project)
      const to = [...new Set(envelope.to.map((address) => v.parse(EmailAddress, address)))]
      const { answer, replayed } = await this.#take(project, { raw, to, from: envelope.from })
      this.kit.log.info('a message was submitted', { project: id, mails: to.length, bytes: raw.length, replayed })
      return { ...ACCEPTED, ids: answer.emails.map(({ email }) => email) }
    } catch (error) {
      const refusal = this.#refusal(error)
      if (refusal.outcome === 'refused') {
        const { status, message: reason } = refusal
        this.kit.log.info('a submitted message was refused', { project: id, status, reason })
      }
      return refusal
    }
  }

  /**
   * Accepts a whole message, as one transactional mail per recipient, whatever its header says: everything that its author
   * wrote is sent as it is. `input` is the body of `POST /v1/send/message`. A message with a Message-ID goes once to the
   * same recipients within 24 hours; with an `idempotencyKey` that counts instead. Throws EngineError `VALIDATION_ERROR`,
   * `DOMAIN_NOT_VERIFIED`, `PROJECT_DISABLED`, `IDEMPOTENCY_KEY_REUSED`, `PAYLOAD_TOO_LARGE` for a message that takes too
   * long to read; then nothing is stored.
   */
  async send(
    project: Project,
    input: SendMessageInput | UntrustedInput,
    options: Pick<SendOptions, 'idempotencyKey'> = {},
  ): Promise<Once<SendAnswer>> {
    requireEnabled(project)
    const idempotencyKey = onlyKey(options)
    try {
      return await this.#take(project, readWholeMessage(input, this.kit.now()), idempotencyKey)
    } catch (error) {
      if (!(error instanceof ThreadOverrun)) throw error
      throw new EngineError('PAYLOAD_TOO_LARGE', 'The message takes too much time or memory to read.', { cause: error })
    }
  }

  async #take(project: Project, whole: Message, given?: string): Promise<Once<SendAnswer>> {
    const { raw, to, from, scheduledFor, tags } = whole
    const question = { raw, now: this.kit.now(), domains: domainsOf(project) }
    const message = (await this.#lanes.run(project.id, () => this.#thread.ask(question))) as PreparedMessage
    requireVerifiedDomain(project, message.from.email)
    const content = contentOf(project, message, from ?? message.from.email, this.kit.now())
    const once = given === undefined ? onceOf(message, to) : { key: given, meaning: wholeMeaning(message, whole) }
    return this.sending.submit(project, content, to, { once, scheduledFor, tags })
  }

  #refusal(error: unknown): SubmissionRefused | SubmissionLater {
    if (error instanceof ThreadOverrun)
      return refused(554, '5.6.0', 'the message takes too much time or memory to read')
    if (!EngineError.is(error) || error.kind === 'unavailable') {
      this.kit.log.warn('could not take a submitted message', { error })
      return { outcome: 'later', message: LATER }
    }
    const { code, message, suggestion, fields } = error
    const words = [message, suggestion].filter(Boolean).join(' ')
    switch (code) {
      case 'INVALID_API_KEY':
        return refused(535, '5.7.8', WRONG_LOGIN)
      case 'FORBIDDEN':
        return refused(535, '5.7.8', words)
      case 'IDEMPOTENCY_KEY_REUSED':
        return refused(554, '5.6.0', REUSED)
      case 'VALIDATION_ERROR':
        return fields[0]?.code === 'too_big'
          ? refused(552, '5.3.4', spoken(words))
          : refused(550, '5.6.0', spoken(words))
      default:
        return refused(550, '5.7.1', words)
    }
  }
}

const REUSED =
  'this Message-ID was used within 24 hours for another message to the same recipients: every message needs its own'

/** Messages about fields begin with the field's name. */
function spoken(text: string): string {
  return text.replace(/^message: /, 'the message ')
}

function recipientOf(address: string): SubmissionAnswer {
  if (v.safeParse(EmailAddress, address).success) return ACCEPTED
  return refused(553, '5.1.3', 'this is not an address mail can be sent to')
}

function refused(code: number, status: string, message: string): SubmissionRefused {
  return { outcome: 'refused', code, status, message }
}

/** The key is the same for the same Message-ID and the same recipients, in any order. */
function onceOf({ submitted, meaning }: PreparedMessage, to: readonly string[]): SubmitOptions['once'] {
  const { messageId } = submitted
  if (messageId === undefined) return undefined
  const key = createHash('sha256')
    .update([messageId, ...to.toSorted()].join('\n'))
    .digest('hex')
  return { key, meaning }
}

/** Under a key that the caller chose, other recipients or another time are another request. */
function wholeMeaning({ meaning }: PreparedMessage, { to, from, scheduledFor, tags }: Message): Json {
  return { meaning, to: to.toSorted(), from: from ?? null, at: scheduledFor?.toISOString() ?? null, tags: tags ?? {} }
}

function contentOf(project: Project, message: PreparedMessage, sender: string, now: Date): MailContent {
  const { from, subject, html, text, submitted, bytes, digest } = message
  const isOwn = sender === '' || isVerifiedDomain(project, domainOf(sender.toLowerCase()))
  const returnPath = isOwn ? sender : from.email
  const attachment = { filename: 'message.eml', contentType: 'message/rfc822', disposition: 'attachment' } as const
  return {
    id: submittedContentId(project.id, `${digest} ${returnPath}`),
    projectId: project.id,
    subject,
    html,
    text,
    from,
    cc: [],
    bcc: [],
    headers: [],
    attachments: [{ ...attachment, bytes }],
    submitted: { ...submitted, returnPath },
    ...contentMarks(project, false),
    createdAt: now,
  }
}
