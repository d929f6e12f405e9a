import { areReached, catches, reachedBy } from '../delivery/catching.ts'
import { type RouteExplained, RouteQuestion } from '../delivery/routing/explain.ts'
import { classOf } from '../delivery/routing/facts.ts'
import type { Transports } from '../delivery/transports.ts'
import { EngineError } from '../errors.ts'
import { storedEmail } from '../mails/stored-email.ts'
import type { MailContent } from '../ports/store/contents.ts'
import type { Email } from '../ports/store/emails.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Store } from '../ports/store/store.ts'
import type { MailClass } from '../settings/route-settings.ts'
import type { UntrustedInput } from '../values/input.ts'
import { parse } from '../values/parse.ts'
import { MAIL_WAYS, type ProjectRoutes } from './project-routes.ts'
import type { RoutingRules } from './routing-rules.ts'

export const ROUTE_WAYS = [...MAIL_WAYS, 'simulator', 'sandbox'] as const

/** Where a mail goes: as its project's mail, to the simulator, or nowhere, since it is caught in the sandbox. */
export type RouteWay = (typeof ROUTE_WAYS)[number]

/** The way of a stored mail, as it would go now. */
export interface MailRoute extends Partial<RouteExplained> {
  /** Where it goes. */
  readonly way: RouteWay
  /** Its kind, by which rules tell mails apart. */
  readonly class: MailClass
  /** The transports that it was handed to, as far as its last tries are kept, each once in their order. */
  readonly tried: readonly string[]
}

/** Why mail goes its way, and the rules by which it does. */
export class Routes {
  constructor(
    /** The rules that the operator sets while the engine runs. */
    readonly rules: RoutingRules,
    private readonly store: Store,
    private readonly transports: Transports,
    private readonly projects: ProjectRoutes,
    /** Learns what other processes have changed. */
    private readonly load: () => Promise<void>,
  ) {}

  /**
   * Where a mail of this project would go now, and why. The rules, and the transports of the installation that it would
   * try, are answered only where the operator asks: they may name other projects. Throws EngineError `EMAIL_NOT_FOUND`,
   * `RESOURCE_NOT_FOUND` for a received mail.
   */
  async explain(
    project: Pick<Project, 'id' | 'mode'>,
    id: string,
    { isOperator = false }: { readonly isOperator?: boolean } = {},
  ): Promise<MailRoute> {
    const email = await storedEmail(this.store, project.id, id)
    if (email.sourceType === 'INBOUND')
      throw new EngineError('RESOURCE_NOT_FOUND', 'A received mail goes through no transport.', {
        suggestion: 'Ask for a mail that was sent, or waits to be.',
      })
    await this.load()
    const [content] = await this.store.emails.contents([email.contentId])
    const tries = await this.store.mails.tries(project.id, id)
    const explained = await this.transports.explain(email, content)
    const way = await this.#wayOf(email, content, project, explained)
    const { transport } = email
    const tried = [
      ...new Set([...tries.map((each) => each.transport), ...(transport === undefined ? [] : [transport])]),
    ]
    const { toOwn, toSimulator: _, ...more } = explained
    const about = { way, class: classOf(email), tried }
    if (way === 'simulator' || way === 'sandbox' || way === 'nowhere') return about
    if (isOperator) return { ...about, ...more }
    const { transports, receiver, named } = explained
    return {
      ...about,
      ...(toOwn || named?.counts ? { transports } : {}),
      ...(receiver === undefined ? {} : { receiver }),
      ...(named === undefined ? {} : { named }),
    }
  }

  /**
   * Where a mail that is described would go now, and why. Nothing is sent; the DNS is asked where rules name receivers.
   * Throws EngineError `VALIDATION_ERROR`.
   */
  async ask(input: RouteQuestion | UntrustedInput): Promise<RouteExplained> {
    const question = parse(RouteQuestion, input)
    await this.load()
    return this.transports.answer(question)
  }

  async #wayOf(
    email: Email,
    content: MailContent | undefined,
    project: Pick<Project, 'id' | 'mode'>,
    { toOwn, toSimulator }: RouteExplained,
  ): Promise<RouteWay> {
    if (email.skipReason === 'caught' || email.skipReason === 'cleared') return 'sandbox'
    if (await this.#isCaught(email, content, project, toSimulator === true)) return 'sandbox'
    if (toSimulator) return 'simulator'
    if (toOwn) return this.projects.wayOf(project.id)
    return this.transports.shared.reachesNobody ? 'folder' : 'installation'
  }

  /** Whether it would be caught now. */
  async #isCaught(
    email: Email,
    content: MailContent | undefined,
    { id, mode }: Pick<Project, 'id' | 'mode'>,
    toSimulator: boolean,
  ): Promise<boolean> {
    const caught = catches(email, mode, toSimulator)
    if (caught !== 'others') return caught
    const copies = [...(content?.cc ?? []), ...(content?.bcc ?? [])].map((each) => each.email)
    return !areReached([email.to, ...copies], await reachedBy(this.store, id))
  }
}
