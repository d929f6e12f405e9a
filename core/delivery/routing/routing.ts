import type { Answer } from '../../ports/mail-transport.ts'
import type { MailContent } from '../../ports/store/contents.ts'
import type { RampedRule, Receiver, RouteRule } from '../../settings/route-settings.ts'
import { domainOf } from '../../values/email-address.ts'
import type { ProjectId } from '../../values/project-id.ts'
import { Route } from '../route.ts'
import type { TransportLine } from '../transport-line.ts'
import { explainRoute, type RouteExplained, withRamp } from './explain.ts'
import { factsOf, type RoutedMail, valuesOf } from './facts.ts'
import { isInPart, type RuleRamps, rampedOf } from './rule-ramps.ts'
import { orderOf, type Rule, RuleBook } from './rules.ts'

/** For how long the name of a project counts, and of how many. */
const FRESH_MS = 30_000
const KEPT = 1_000
/** As many parts of all ids can be told apart when mail is shared out. */
const PARTS = 2 ** 32

/** The facts about a mail that are not in the ledger. */
export interface Sources {
  /** Never rejects. */
  receiverOf(domain: string): Promise<Receiver | undefined>
  /** Throws what the store throws: the mail waits then, rather than go the way of mail without a name. */
  nameOf(projectId: ProjectId): Promise<string | undefined>
}

/** The ways of a rule, each by the transport of `to` that it begins with. */
interface Ways {
  readonly usual: ReadonlyMap<string, Route>
  /** The same behind the transport of its ramp. */
  readonly ramped: ReadonlyMap<string, Route>
}

/** Finds the way of a mail by the rules of the settings. What decides is read once, so that a mail costs a few look-ups. */
export class Routing {
  readonly book: RuleBook
  /** Made when the first mail goes by the rule: of ten thousand rules few are used. */
  readonly #ways = new Map<Rule, Ways>()
  readonly #rest: Route
  readonly #asksNames: boolean
  /** The transports of ramps. */
  readonly #ramped: ReadonlySet<string>
  readonly #names = new Map<ProjectId, { readonly name: Promise<string | undefined>; readonly until: number }>()

  /**
   * `rest` is the way of mail that no rule fits. Every transport that the rules name is among those of `lineOf`. A rule
   * that is undefined keeps its place and decides nothing.
   */
  constructor(
    rules: readonly (RouteRule | undefined)[],
    rest: Route,
    private readonly lineOf: (name: string) => TransportLine | undefined,
    private readonly sources: Sources,
    private readonly ramps: RuleRamps,
  ) {
    this.book = new RuleBook(rules)
    this.#rest = rest
    this.#asksNames = this.book.asks('project')
    this.#ramped = new Set(this.book.rules.flatMap(({ ramp }) => ramp?.to ?? []))
  }

  /** Of several transports with shares, each has the way that begins with it. */
  #waysOf(rule: Rule): Ways {
    const all = rule.to.reduce((sum, { weight }) => sum + weight, 0)
    const orders = rule.to.map(({ transport }, i) => {
      const before = rule.to.slice(0, i).reduce((sum, { weight }) => sum + weight, 0)
      return [transport, orderOf(rule, before / all)] as const
    })
    const lines = (names: readonly string[]) => names.flatMap((name) => this.lineOf(name) ?? [])
    // the quota of a ramp's transport holds up no mail: that goes on as without the ramp
    const waitsFor = rule.waits ? lines(rule.to.map(({ transport }) => transport)) : []
    const usual = orders.map(([first, names]) => [first, Route.through(lines(names), { waitsFor })] as const)
    const ramped = rampedOf(rule)
    const behind = ramped === undefined ? [] : orders.map((order) => ({ order, ramped }))
    return {
      usual: new Map(usual),
      ramped: new Map(
        behind.map(({ order: [first, names], ramped }) => {
          const { to } = ramped.ramp
          const noted = ({ name }: TransportLine, answer: Answer) => name === to && this.ramps.note(ramped, answer)
          return [first, Route.through(lines([to, ...names]), { waitsFor, noted })]
        }),
      ),
    }
  }

  /** The way of a mail; `content` is undefined when it is gone. Throws what the store throws. */
  of(email: RoutedMail, content: MailContent | undefined): Route | Promise<Route> {
    const found = this.#ruleOf(email, content)
    return found instanceof Promise ? found.then((rule) => this.#routeOf(email, rule)) : this.#routeOf(email, found)
  }

  /**
   * The rule whose ramp had this mail go through its transport, as far as the rules stayed the same. Throws what the store
   * throws.
   */
  async rampOf(
    email: RoutedMail & { readonly transport?: string },
    content: MailContent | undefined,
  ): Promise<RampedRule | undefined> {
    if (email.transport === undefined || !this.#ramped.has(email.transport)) return undefined
    const rule = await this.#ruleOf(email, content)
    const ramped = rule && rampedOf(rule)
    return ramped?.ramp.to === email.transport && isInPart(ramped, email) ? ramped : undefined
  }

  /** Explains the way of a mail; `usual` are the transports of mail that no rule fits. Throws what the store throws. */
  async explain(
    email: RoutedMail,
    content: MailContent | undefined,
    usual: readonly string[],
  ): Promise<RouteExplained> {
    const projectName = this.#asksNames ? await this.#nameOf(email.projectId) : undefined
    const values = valuesOf(this.book, email, content, { projectName })
    const receiver = this.book.asks('receiver') ? await this.sources.receiverOf(domainOf(email.to)) : undefined
    const explained = explainRoute(this.book, factsOf(values, receiver ?? null), usual, partOf(email.id))
    const whole = await withRamp(
      this.book,
      explained,
      (rule) => this.ramps.state(rule),
      (rule) => this.ramps.takes(rule, email),
    )
    return receiver === undefined ? whole : { ...whole, receiver }
  }

  /** The rule that decides on a mail. */
  #ruleOf(email: RoutedMail, content: MailContent | undefined): Rule | undefined | Promise<Rule | undefined> {
    return this.#asksNames ? this.#named(email, content) : this.#with(email, valuesOf(this.book, email, content))
  }

  async #named(email: RoutedMail, content: MailContent | undefined): Promise<Rule | undefined> {
    const projectName = await this.#nameOf(email.projectId)
    return this.#with(email, valuesOf(this.book, email, content, { projectName }))
  }

  #with(
    email: RoutedMail,
    values: ReadonlyMap<string, readonly string[]>,
  ): Rule | undefined | Promise<Rule | undefined> {
    const found = this.book.find(factsOf(values))
    return found === 'ask' ? this.#asked(email, values) : found
  }

  async #asked(email: RoutedMail, values: ReadonlyMap<string, readonly string[]>): Promise<Rule | undefined> {
    const receiver = (await this.sources.receiverOf(domainOf(email.to))) ?? null
    const found = this.book.find(factsOf(values, receiver))
    return found === 'ask' ? undefined : found
  }

  /** The same mail goes the same way each time, as long as the rules stay and their ramps have not gone back. */
  #routeOf(email: RoutedMail, rule: Rule | undefined): Route | Promise<Route> {
    if (rule === undefined) return this.#rest
    const ramped = rampedOf(rule)
    const takes = ramped !== undefined && this.ramps.takes(ramped, email)
    return typeof takes === 'boolean'
      ? this.#wayOf(email, rule, takes)
      : takes.then((is) => this.#wayOf(email, rule, is))
  }

  #wayOf({ id }: RoutedMail, rule: Rule, isRamped: boolean): Route {
    const [only] = rule.to
    const first = rule.to.length === 1 ? only?.transport : orderOf(rule, partOf(id))[0]
    let ways = this.#ways.get(rule)
    if (ways === undefined) {
      ways = this.#waysOf(rule)
      this.#ways.set(rule, ways)
    }
    return (first === undefined ? undefined : ways[isRamped ? 'ramped' : 'usual'].get(first)) ?? this.#rest
  }

  #nameOf(projectId: ProjectId): Promise<string | undefined> {
    const now = performance.now()
    const known = this.#names.get(projectId)
    if (known && now < known.until) return known.name
    if (this.#names.size >= KEPT) this.#names.clear()
    const name = this.sources.nameOf(projectId)
    this.#names.set(projectId, { name, until: now + FRESH_MS })
    name.catch(() => this.#names.delete(projectId))
    return name
  }
}

/**
 * A rule with those of its transports that are there: its fallbacks take the place of `to` when none of that is. Undefined:
 * no transport of it is left, so that it decides nothing.
 */
export function withThoseThere(rule: RouteRule, isThere: (transport: string) => boolean): RouteRule | undefined {
  const { to, fallback: all = [], whenFull: _whenFull, ...rest } = rule
  const fallback = all.filter(isThere)
  const ramp = rule.ramp !== undefined && isThere(rule.ramp.to) ? rule.ramp : undefined
  const first = typeof to === 'string' ? isThere(to) && to : sharesThere(to, isThere)
  if (first) return { ...rule, to: first, ramp, fallback: fallback.length > 0 ? fallback : undefined }
  const [next, ...more] = fallback
  return next === undefined ? undefined : { ...rest, to: next, ramp, fallback: more.length > 0 ? more : undefined }
}

function sharesThere(to: Readonly<Record<string, number>>, isThere: (transport: string) => boolean) {
  const left = Object.entries(to).filter(([name]) => isThere(name))
  return left.length > 0 && Object.fromEntries(left)
}

/** Where the id of a mail is among all, from 0 up to 1: its end is random (RFC 9562, version 7). */
export function partOf(id: string): number {
  return Number.parseInt(id.slice(-8), 16) / PARTS || 0
}
