import * as v from 'valibot'
import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { Translations } from '../mail/languages/translations.ts'
import { translationsIn } from '../mail/languages/translations-in.ts'
import type { Links } from '../mail/links/links.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Repositories, Store } from '../ports/store/store.ts'
import { retryConflicts } from '../values/conflict.ts'
import { EmailAddress } from '../values/email-address.ts'
import { isId } from '../values/id.ts'
import type { InputOf, UntrustedInput } from '../values/input.ts'
import { parse } from '../values/parse.ts'
import { asProjectId } from '../values/project-id.ts'
import { type Confirmations, senderOf } from './confirmations.ts'
import { SubmissionLimits, tooManySubmissions } from './forms/submission-limits.ts'
import type { FormVisitor } from './forms/submit.ts'

/** How often a request is tried when others write the same contact. */
const TRIES = 3

const AskToLeave = v.object({
  /** The address that wants to leave. */
  email: EmailAddress,
})

/** A request to leave. */
export interface AskToLeaveInput extends InputOf<typeof AskToLeave> {}

/** The page by which people leave a project without a mail of it. */
export interface LeavePage {
  /** The project that is left. */
  readonly project: Project
  /** In the project's language, else the first supported one of the visitor's. */
  readonly translations: Translations
}

/**
 * Leaving without a mail at hand: the way out is mailed to the address that is typed on a page of the project, since
 * any visitor can type it. Works for disabled projects, too.
 */
export class Leaving {
  readonly #limits = new SubmissionLimits()

  constructor(
    private readonly store: Store,
    private readonly confirmations: Confirmations,
    private readonly links: Links,
    private readonly kit: Kit,
  ) {}

  /** Where the page is; undefined where its mail could not be sent, for want of a verified sender or of a public address. */
  addressOf(project: Project): string | undefined {
    const { publicUrl } = this.kit.settings
    return publicUrl === undefined || senderOf(project) === undefined ? undefined : `${publicUrl}/leave/${project.id}`
  }

  /** The page of a project; changes nothing. Undefined when there is no such project. */
  async look(projectId: string, languages: readonly string[] = []): Promise<LeavePage | undefined> {
    const id = isId(projectId) ? asProjectId(projectId) : undefined
    const project = id && (await this.store.projects.find(id))
    return project && { project, translations: translationsIn(project.locale, ...languages) }
  }

  /**
   * The page of the project that a link names, also one whose signature is wrong: it was cut off on its way, or the secret
   * has changed since. Undefined when there is none, or its mail could not be sent.
   */
  async ofLostLink(token: string): Promise<string | undefined> {
    const projectId = this.links.projectNamed(token)
    const project = projectId && (await this.store.projects.find(projectId))
    return project && this.addressOf(project)
  }

  /**
   * Mails the way out to an address that is subscribed and not suppressed, counted by mailbox with all other mail that
   * strangers cause, and by project apart from it. The answer is the same for every address. Throws EngineError `VALIDATION_ERROR`,
   * `RATE_LIMIT_EXCEEDED` for too many of a client, a network or the project, `SERVICE_UNAVAILABLE` when nothing can be
   * mailed.
   */
  async ask(
    { project }: LeavePage,
    input: AskToLeaveInput | UntrustedInput,
    { address, languages = [] }: FormVisitor = {},
  ): Promise<void> {
    const now = this.kit.now()
    const over = this.#limits.count(project.id, { address, now })
    if (over) throw tooManySubmissions(over)
    const { email } = parse(AskToLeave, input)
    if (this.addressOf(project) === undefined) {
      const message = 'No mail can be sent: this server has no public address, or the project has no sender (`from`).'
      throw new EngineError('SERVICE_UNAVAILABLE', message, { isTold: true, suggestion: CURE })
    }
    if ((await this.store.suppressions.among(project.id, [email], now)).has(email)) return
    const mail = async (tx: Repositories) => {
      const contact = (await tx.contacts.lockByAddress(project.id, [email])).get(email)
      return contact?.subscribed ? this.confirmations.showWayOut(tx, project, contact, now, languages) : undefined
    }
    const ask = async (hasRoom: boolean) =>
      hasRoom && (await retryConflicts(TRIES, () => this.store.transaction(mail))) !== undefined
    if (await this.confirmations.turns.spend(project.id, 'leave', now, ask)) this.confirmations.send()
  }
}

const CURE = 'Set `server.publicUrl` of this server, and `from` of the project to an address at a verified domain.'
