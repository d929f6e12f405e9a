import { inject, injectable } from '../di.ts'
import type { LateRefusal, LateRefusals } from '../feedback/late-refusals.ts'
import { Kit } from '../kit.ts'
import { DomainKeys } from '../mail/dkim/domain-keys.ts'
import { isConfidential } from '../mail/email.ts'
import { LinkSettings } from '../mail/links/links.ts'
import { isSimulated } from '../mail/simulator-address.ts'
import { DnsResolver } from '../ports/dns-resolver.ts'
import { type MailTransport, MailTransports, type NamedTransport } from '../ports/mail-transport.ts'
import type { Lane } from '../ports/queue.ts'
import type { MailContent } from '../ports/store/contents.ts'
import type { Email } from '../ports/store/emails.ts'
import { Store } from '../ports/store/store.ts'
import { NameableTransports } from '../projects/nameable-transports.ts'
import type { EngineValues } from '../settings/engine-values.ts'
import type { RampedRule, RouteRule } from '../settings/route-settings.ts'
import type { ProjectId } from '../values/project-id.ts'
import { Leases } from '../work/leases.ts'
import { Deadlines } from './deadlines.ts'
import { Route } from './route.ts'
import { explainNamed, explainQuestion, type RouteExplained, type RouteQuestion } from './routing/explain.ts'
import type { RoutedMail } from './routing/facts.ts'
import { Receivers } from './routing/receivers.ts'
import { Routing, type Sources, withThoseThere } from './routing/routing.ts'
import { type RampGoneBack, type RouteRampState, RuleRamps, rampedOf } from './routing/rule-ramps.ts'
import { RuleBook } from './routing/rules.ts'
import { SendingThreads } from './threads/sending-threads.ts'
import { TransportQuota } from './throttle/transport-quota.ts'
import { type LineLimits, TransportLine } from './transport-line.ts'

/** Of how many campaigns and projects the way of their last mail is remembered. */
const KEPT = 10_000
/** For how long room is waited for on the way of a mail, in milliseconds. */
const USED_MS = 1_000
/** How long at most before other mail may be claimed. */
const LOOK_MS = 100
/** How often at most changes are looked for since a mail names a transport that is not there, in milliseconds. */
const LEARN_MS = 1_000

const NO_RULES = new RuleBook([])

/** The transport that mail to the simulator goes by: its room comes after this one. */
export const SimulatorTransport = Symbol('SimulatorTransport')

/**
 * The ways that mail goes: the route of the installation, and those of projects that have mail servers of their own. No
 * mail leaves its route, so that a project's servers never get the mail of another project and their trouble is only its
 * own.
 */
@injectable()
export class Transports {
  /** Called before mail is claimed for the installation's route, to learn what other processes have changed. */
  look: (() => Promise<void>) | undefined
  /** Learns what other processes have changed. Never rejects. */
  learn: (() => Promise<void>) | undefined
  /** The route of mail of projects without servers of their own. */
  readonly shared = new Route()
  readonly #own = new Map<ProjectId, Route>()
  readonly #simulator = new Route(undefined, true)
  /** The route of projects without servers of their own, where they may not use those of the installation. */
  #rest: Route | undefined
  readonly #limits: EngineValues['delivery']['throttle']['transports']
  /** The ways of mail whose requests name a transport, made when the first such mail is sent. */
  readonly #named = new Map<TransportLine, Route>()
  /** The projects whose mail has named one. */
  readonly #naming = new Set<ProjectId>()
  #learnt: { readonly done: Promise<void>; readonly until: number } | undefined
  /** Undefined without rules. */
  #routing: Routing | undefined
  /** The rules of the settings, and behind them those that were set since. */
  #rules: readonly RouteRule[]
  /** Counts what is refused later of the mail that ramps have sent. */
  readonly late: LateRefusals = {
    of: (email, content) => this.#takenByRamp(email, content),
    count: (tx, refused) => this.#ramps.countLate(tx, refused),
    judge: (refused) => this.#ramps.judgeLate(refused),
  }
  readonly #sources: Sources
  readonly #ramps: RuleRamps
  /** The way that the last mail of a campaign, or of a project in a lane, has gone. */
  readonly #last = new Map<string, Route>()
  /** When mail of each lane last went each way. */
  readonly #used: Readonly<Record<Lane, Map<Route, number>>> = {
    transactional: new Map(),
    workflow: new Map(),
    campaign: new Map(),
  }
  readonly #deadlines: Deadlines
  readonly #threads: SendingThreads

  constructor(
    @inject(MailTransports) transports: readonly NamedTransport[],
    @inject(SimulatorTransport) simulator: MailTransport,
    @inject(LinkSettings) links: LinkSettings,
    @inject(DomainKeys) keys: DomainKeys,
    @inject(Leases) leases: Leases,
    @inject(Store) private readonly store: Store,
    @inject(DnsResolver) dns: DnsResolver,
    @inject(NameableTransports) readonly nameable: NameableTransports,
    @inject(Kit) private readonly kit: Kit,
  ) {
    const { throttle, sendTimeout } = kit.settings.delivery
    const deadlines = new Deadlines(sendTimeout * 1000)
    this.#limits = throttle.transports
    this.#deadlines = deadlines
    this.#threads = new SendingThreads(links, keys, kit)
    this.#rules = kit.settings.delivery.routes
    const receivers = new Receivers(dns)
    this.#sources = {
      receiverOf: (domain) => receivers.of(domain),
      nameOf: async (id) => (await store.projects.find(id))?.name,
    }
    this.#ramps = new RuleRamps(store, kit)
    void this.use(transports)
    void this.#change(this.#simulator, [{ name: 'simulator', plugin: 'simulator', transport: simulator }], () => ({}))
    leases.onLapse(() => deadlines.giveUp(new Error('this worker was cut off from its database')))
  }

  /**
   * Sends through these from now on, in this order; those that are used already stay as they are. Answers when those that
   * are left out have no mail in hand any more: mail that still waits for them goes through the others.
   */
  use(transports: readonly NamedTransport[]): Promise<void> {
    const changed = this.#change(this.shared, transports, ({ name }) => this.#limits[name] ?? {})
    this.nameable.useShared(transports.map(({ name }) => name))
    this.#reroute()
    return changed
  }

  /** Decides by these rules from now on, behind those of the settings, as far as their transports are there. */
  useRules(rules: readonly RouteRule[]): void {
    this.#rules = [...this.kit.settings.delivery.routes, ...rules]
    this.#reroute()
  }

  /** The ways of before are forgotten: they may have transports that are gone. */
  #reroute(): void {
    const lineOf = (name: string) => this.shared.named(name)
    const rules = this.#rules.map((rule) => withThoseThere(rule, (name) => lineOf(name) !== undefined))
    const hasAny = rules.some((rule) => rule !== undefined)
    this.#routing = hasAny ? new Routing(rules, this.shared, lineOf, this.#sources, this.#ramps) : undefined
    this.#last.clear()
    for (const used of Object.values(this.#used)) used.clear()
  }

  /** The same for the mail of one project; without any, it goes the way of all others. */
  useOf(owner: ProjectId, transports: readonly NamedTransport[]): Promise<void> {
    const route = this.#own.get(owner) ?? new Route(owner)
    if (transports.length > 0) this.#own.set(owner, route)
    else this.#own.delete(owner)
    // the limits of the settings are those of the operator's own servers
    return this.#change(route, transports, () => ({}))
  }

  /** The same for the mail of all projects without servers of their own; without any, it goes that of the installation. */
  useForRest(transports: readonly NamedTransport[]): Promise<void> {
    const route = this.#rest ?? new Route()
    this.#rest = transports.length > 0 ? route : undefined
    return this.#change(route, transports, () => ({}))
  }

  /** Whether mail of the installation goes several ways, so that one of them may have room while another has none. */
  get hasRules(): boolean {
    return this.#routing !== undefined || this.#named.size > 0
  }

  /**
   * The route of a mail. Mail to the simulator goes nowhere else. Those about accounts have links that give a login away, so they go through the servers of the
   * installation, if it has any. `content` is that of the mail; undefined when it is gone.
   */
  of(email: RoutedMail, content: MailContent | undefined): Route | Promise<Route> {
    if (isSimulated(email.to, this.kit.settings)) return this.#simulator
    const name = content?.transport
    const named = name === undefined ? undefined : this.#namedRoute(email, name)
    if (named !== undefined) return this.#noted(email, named)
    if (name === undefined) return this.#usual(email, content)
    // it may have been added a moment ago, in another process
    return this.#learn().then(() => {
      const named = this.#namedRoute(email, name)
      return named === undefined ? this.#usual(email, content) : this.#noted(email, named)
    })
  }

  /** The route of a mail that names no transport. */
  #usual(email: RoutedMail, content: MailContent | undefined): Route | Promise<Route> {
    const own = this.ownOf(email.projectId)
    if (own !== undefined && !this.#goesShared(email))
      return this.namesAny(email.projectId) ? this.#noted(email, own) : own
    if (this.#routing === undefined) return this.#named.size > 0 ? this.#noted(email, this.shared) : this.shared
    const found = this.#routing.of(email, content)
    return found instanceof Route ? this.#noted(email, found) : found.then((route) => this.#noted(email, route))
  }

  /** The way through the transport that is named, and no other; undefined when the project may name no such transport. */
  #namedRoute({ projectId }: RoutedMail, name: string): Route | undefined {
    const whose = this.nameable.whose(projectId, name)
    if (whose === undefined) return undefined
    const line = (whose === 'own' ? this.#own.get(projectId) : this.shared)?.named(name)
    if (line === undefined) return undefined
    const route = this.#named.get(line) ?? Route.through([line], { owner: whose === 'own' ? projectId : undefined })
    this.#named.set(line, route)
    this.#naming.add(projectId)
    return route
  }

  /** Whether mail of this project may name a transport of the installation, or has named one. */
  namesAny(projectId: ProjectId): boolean {
    return this.#naming.has(projectId) || this.nameable.borrows(projectId)
  }

  #learn(): Promise<void> {
    const now = performance.now()
    if (this.#learnt === undefined || now >= this.#learnt.until)
      this.#learnt = { done: this.learn?.() ?? Promise.resolve(), until: now + LEARN_MS }
    return this.#learnt.done
  }

  /** Explains `of`: where the mail would go now, and why. Throws what the store throws. */
  async explain(email: RoutedMail, content: MailContent | undefined): Promise<RouteExplained> {
    const none = { notFitting: [], more: 0 }
    if (isSimulated(email.to, this.kit.settings)) return { ...none, transports: [], toSimulator: true }
    const name = content?.transport
    const whose = name === undefined ? undefined : this.nameable.whose(email.projectId, name)
    if (name !== undefined && whose !== undefined) return explainNamed(name, whose)
    const own = this.#goesShared(email) ? undefined : this.ownOf(email.projectId)
    const transports = (own ?? this.shared).inUse.map(({ name }) => name)
    const named = name === undefined ? {} : { named: { transport: name, counts: false } }
    if (own !== undefined) return { ...none, ...named, transports, toOwn: true }
    return { ...((await this.#routing?.explain(email, content, transports)) ?? { ...none, transports }), ...named }
  }

  /** The same of a mail that is described. Throws what the store throws. */
  async answer(question: RouteQuestion): Promise<RouteExplained> {
    const { project } = question
    const known =
      project && (await this.store.projects.list()).find(({ id, name }) => id === project || name === project)
    const own = known ? this.ownOf(known.id) : undefined
    const usual = (own ?? this.shared).inUse.map(({ name }) => name)
    const book = own === undefined ? (this.#routing?.book ?? NO_RULES) : NO_RULES
    const { receiverOf } = this.#sources
    const whose = (name: string) => this.nameable.whose(known ? known.id : undefined, name)
    const rampOf = this.#ramps.state.bind(this.#ramps)
    const around = { settings: this.kit.settings, usual, whose, receiverOf, rampOf }
    const names = known ? [known.id, known.name] : []
    const explained = await explainQuestion(book, question, { ...around, project: names })
    if (own === undefined || explained.toSimulator || explained.named?.counts) return explained
    return { ...explained, toOwn: true }
  }

  /** The ramps that went back. Throws what the store throws. */
  rampsGoneBack(): Promise<readonly RampGoneBack[]> {
    return this.#ramps.goneBack(this.#rampedRules())
  }

  #rampedRules(): readonly RampedRule[] {
    return (this.#routing?.book.rules ?? []).flatMap((rule) => rampedOf(rule) ?? [])
  }

  /** The mail as one that the transport of a ramp took; undefined when it went another way. */
  async #takenByRamp(email: Email, content: MailContent | undefined): Promise<LateRefusal | undefined> {
    const { sentAt, projectId } = email
    if (this.#routing === undefined || sentAt === undefined || isSimulated(email.to, this.kit.settings))
      return undefined
    const name = content?.transport
    const isNamed = name !== undefined && this.nameable.whose(projectId, name) !== undefined
    if (isNamed || (this.ownOf(projectId) !== undefined && !this.#goesShared(email))) return undefined
    const rule = await this.#routing.rampOf(email, content)
    return rule && { rule, takenAt: sentAt }
  }

  /** How far the ramps of the rules are. Throws what the store throws. */
  rampStates(): Promise<readonly RouteRampState[]> {
    return this.#ramps.states(this.#rampedRules())
  }

  /** Whether it goes through the servers of the installation, whatever its project has. */
  #goesShared(email: RoutedMail): boolean {
    return isConfidential(email) && !this.shared.reachesNobody
  }

  /** The way that mail of this campaign, or else of this project in this lane, is likely to go. */
  likely(lane: Lane, projectId: ProjectId, campaignId?: string): Route {
    return this.#last.get(campaignId ?? `${projectId} ${lane}`) ?? this.ownOf(projectId) ?? this.shared
  }

  #noted({ projectId, lane, campaignId }: RoutedMail, route: Route): Route {
    const key = campaignId ?? `${projectId} ${lane}`
    if (this.#last.size >= KEPT && !this.#last.has(key)) this.#last.clear()
    this.#last.set(key, route)
    // projects with servers of their own wait for these alone
    if (route.owner === undefined && route !== this.#rest) this.#used[lane].set(route, performance.now())
    return route
  }

  /**
   * Answers when one of the ways that mail of this lane has lately gone has room, or after a moment: another campaign may
   * go another way.
   */
  async #roomOfRules(lane: Lane): Promise<void> {
    const begun = performance.now()
    const before = begun - USED_MS
    for (const [route, at] of this.#used[lane]) if (at < before) this.#used[lane].delete(route)
    const routes = [...this.#used[lane].keys()]
    const isFull = () => routes.length > 0 && routes.every((route) => !route.takes(lane))
    if (!isFull()) return
    let timer: NodeJS.Timeout | undefined
    const moment = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, LOOK_MS)
    })
    while (isFull() && performance.now() < begun + LOOK_MS)
      await Promise.race([moment, ...routes.map((route) => route.change())])
    clearTimeout(timer)
  }

  /** The route of a project's other mail, if it is not that of the installation. */
  ownOf(projectId: ProjectId): Route | undefined {
    return this.#own.get(projectId) ?? this.#rest
  }

  /** Whether any mail goes another way than that of the installation. */
  get hasOwn(): boolean {
    return this.#own.size > 0 || this.#rest !== undefined
  }

  /** Starts the threads that send. */
  start(): void {
    this.#threads.start()
  }

  /** Ends the threads that send, after the last mail. The transports themselves stay open. */
  async close(): Promise<void> {
    await this.#threads.close()
    await Promise.all([this.shared.giveBackQuotas(), this.#ramps.close()])
  }

  /** Answers when the threads can send. */
  async ready(): Promise<void> {
    await this.#threads.ready()
  }

  /**
   * Answers when other processes' changes are known, and the installation's route has room for mail of this lane; with
   * rules each campaign and each project waits for its own way.
   */
  async room(lane: Lane, stopping: AbortSignal): Promise<void> {
    await this.look?.()
    await this.ready()
    await (this.hasRules ? this.#roomOfRules(lane) : this.shared.room(lane, stopping))
  }

  /** Aborts every running try when the signal is aborted, until the answered function is called. */
  follow(signal: AbortSignal): () => void {
    return this.#deadlines.follow(signal)
  }

  async #change(
    route: Route,
    transports: readonly NamedTransport[],
    limitsOf: (named: NamedTransport) => LineLimits,
  ): Promise<void> {
    const left = route.use(transports, (named) => {
      const { owner } = route
      const log = owner === undefined ? this.kit.log : this.kit.log.with({ project: owner })
      const limits = limitsOf(named)
      const quota = limits.quota && new TransportQuota(named.name, limits.quota, this.store, this.kit)
      const given = { owner, inThread: this.#threads.open(named), deadlines: this.#deadlines, log, quota }
      return new TransportLine(named, limits, given)
    })
    for (const line of left) this.#forget(line)
    await Promise.all(left.map((line) => line.retire()))
    for (const { named } of left) this.#threads.forget(named)
  }

  /** A transport that is gone is no way any more. */
  #forget(line: TransportLine): void {
    const route = this.#named.get(line)
    this.#named.delete(line)
    for (const [key, last] of this.#last) if (last === route) this.#last.delete(key)
  }
}
