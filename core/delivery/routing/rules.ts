import { BELOW, MAIL_CLASSES, type RouteRamp, type RouteRule } from '../../settings/route-settings.ts'

/** A kind of condition: a key of `when`, or `tag` or `header` with a name behind it. */
export type Dimension = string

/** Stands for any value of a tag or a header field. */
const ANY = '*'

/** A transport of a rule with its share of the mail that the rule decides on. */
interface Share {
  readonly transport: string
  readonly weight: number
}

/** A rule, ready to be compared with mails. */
export interface Rule {
  /** Its place among all rules, from 0. */
  readonly at: number
  /** Its name, or `rule 3`. */
  readonly name: string
  /** The conditions, all of which have to fit: for each dimension the values of which one has to. */
  readonly conditions: ReadonlyMap<Dimension, ReadonlySet<string>>
  readonly to: readonly Share[]
  /** The part that goes through another transport first. */
  readonly ramp?: RouteRamp
  readonly fallback: readonly string[]
  /** Whether mail waits rather than go to the fallbacks while the quotas of `to` are used up. */
  readonly waits: boolean
}

/** The values of a mail in a dimension; undefined while they are not known. */
export type Facts = (dimension: Dimension) => readonly string[] | undefined

/** The rule that decides on a mail; `ask` when that depends on a value that is not known yet. */
export type Found = Rule | 'ask' | undefined

/** One rule and why a mail does not fit it. */
export interface WhyNot {
  readonly rule: Rule
  /** The dimension that does not fit. */
  readonly dimension: Dimension
  readonly wanted: readonly string[]
}

/**
 * Rules in their order, of which the first that fits a mail decides. Each is found by the rarest of its values, so that
 * thousands of rules cost a mail a few look-ups in maps.
 */
export class RuleBook {
  readonly rules: readonly Rule[]
  /** By dimension and value the rules to compare, in their order. */
  readonly #found: ReadonlyMap<Dimension, ReadonlyMap<string, readonly Rule[]>>
  /** Those that are compared with every mail. */
  readonly #always: readonly Rule[]
  readonly #dimensions: ReadonlySet<Dimension>
  readonly #names: Readonly<Record<'tag' | 'header', readonly string[]>>
  /** The dimensions of domains in which rules are for all domains below one. */
  readonly #isBelow: ReadonlySet<Dimension>

  /** Those that are undefined keep their place, and no mail fits them. */
  constructor(given: readonly (RouteRule | undefined)[]) {
    const shared = new Shared()
    this.rules = given.flatMap((rule, at) => (rule === undefined ? [] : [ruleOf(rule, at, shared)]))
    this.#dimensions = new Set(this.rules.flatMap(({ conditions }) => [...conditions.keys()]))
    const namesOf = (start: string) =>
      [...this.#dimensions].flatMap((each) => (each.startsWith(start) ? each.slice(start.length) : []))
    this.#names = { tag: namesOf('tag '), header: namesOf('header ') }
    const keys = this.rules.flatMap(keysOf)
    this.#isBelow = new Set(keys.flatMap(([dimension, value]) => (value.startsWith(BELOW) ? [dimension] : [])))
    const counts = new Map<string, number>()
    for (const [dimension, value] of keys) {
      const key = `${dimension} ${value}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
    const found = new Map<Dimension, Map<string, Rule[]>>()
    const always: Rule[] = []
    for (const rule of this.rules) {
      const dimension = rarest(rule, counts)
      if (dimension === undefined) always.push(rule)
      const lists = dimension === undefined ? undefined : (found.get(dimension) ?? new Map<string, Rule[]>())
      if (dimension !== undefined && lists !== undefined) found.set(dimension, lists)
      for (const value of (dimension !== undefined && rule.conditions.get(dimension)) || []) {
        const list = lists?.get(value)
        if (list) list.push(rule)
        else lists?.set(value, [rule])
      }
    }
    this.#found = found
    this.#always = always
  }

  /** Whether any rule looks at this. */
  asks(dimension: Dimension): boolean {
    return this.#dimensions.has(dimension)
  }

  /** The dimensions that begin like this, such as the header fields that rules look at. */
  named(kind: 'tag' | 'header'): readonly string[] {
    return this.#names[kind]
  }

  /** The values in these rules that a value of a mail may fit. */
  reaching(dimension: Dimension, value: string): readonly string[] {
    const isDomain = dimension === 'senderDomain' || dimension === 'recipientDomain'
    return isDomain && !this.#isBelow.has(dimension) ? [value] : reaching(dimension, value)
  }

  /** The rule that decides on a mail. */
  find(facts: Facts): Found {
    let best: Rule | undefined
    let isOpen = false
    const look = (list: readonly Rule[] | undefined) => {
      for (const rule of list ?? NONE) {
        if (best !== undefined && rule.at >= best.at) return
        const fit = fits(rule, facts)
        if (fit === false) continue
        best = rule
        isOpen = fit === undefined
        return
      }
    }
    look(this.#always)
    for (const [dimension, lists] of this.#found) {
      for (const value of facts(dimension) ?? []) look(lists.get(value))
    }
    return isOpen ? 'ask' : best
  }

  /** The rules before this place, each with the first of its conditions that does not fit the mail. */
  before(at: number, facts: Facts): readonly WhyNot[] {
    return this.rules.flatMap((rule): WhyNot[] => {
      if (rule.at >= at) return []
      for (const [dimension, values] of rule.conditions) {
        if (!(facts(dimension) ?? []).some((value) => values.has(value)))
          return [{ rule, dimension, wanted: [...values] }]
      }
      return []
    })
  }

  /** The earlier rules that together take every mail that fits this one; empty when some is left. */
  hiddenBy(rule: Rule): readonly Rule[] {
    const whole = this.#coverOf(rule, rule.conditions)
    if (whole !== undefined) return [whole]
    for (const [dimension, values] of withClasses(rule.conditions)) {
      if (values.size < 2) continue
      const covers = [...values].map((value) =>
        this.#coverOf(rule, new Map([...rule.conditions, [dimension, new Set([value])]])),
      )
      const all = covers.filter((cover) => cover !== undefined)
      if (all.length === covers.length) return [...new Set(all)].toSorted((a, b) => a.at - b.at)
    }
    return []
  }

  /** An earlier rule that takes everything with these conditions. */
  #coverOf({ at }: Rule, conditions: Rule['conditions']): Rule | undefined {
    const covers = (list: readonly Rule[] | undefined) => {
      for (const rule of list ?? NONE) {
        if (rule.at >= at) return undefined
        if (isWithin(conditions, rule.conditions)) return rule
      }
      return undefined
    }
    const always = covers(this.#always)
    if (always) return always
    for (const [dimension, values] of conditions) {
      const [first] = values
      for (const value of first === undefined ? [] : reaching(dimension, first)) {
        const rule = covers(this.#found.get(dimension)?.get(value))
        if (rule) return rule
      }
    }
    return undefined
  }
}

const NONE: readonly Rule[] = []

/** The values in rules that a value of a mail fits: itself, the domains it is below, and any. */
export function reaching(dimension: Dimension, value: string): readonly string[] {
  if (dimension === 'senderDomain' || dimension === 'recipientDomain') {
    const values = [value]
    const bare = value.startsWith(BELOW) ? value.slice(BELOW.length) : value
    for (let dot = bare.indexOf('.'); dot >= 0; dot = bare.indexOf('.', dot + 1))
      values.push(BELOW + bare.slice(dot + 1))
    return values
  }
  return dimension.includes(' ') ? [value, ANY] : [value]
}

/** The transports in the order in which a mail tries them; `part`, from 0 up to 1, chooses among shares. */
export function orderOf({ to, fallback }: Pick<Rule, 'to' | 'fallback'>, part: number): readonly string[] {
  const sum = to.reduce((total, { weight }) => total + weight, 0)
  let end = 0
  const chosen =
    to.find(({ weight }) => {
      end += weight
      return part * sum < end
    }) ?? to.at(-1)
  const names = to.map(({ transport }) => transport)
  const first = chosen === undefined ? [] : [chosen.transport]
  return [...first, ...names.filter((name) => name !== chosen?.transport), ...fallback]
}

/** True or false, or undefined when it depends on a value that is not known. */
function fits({ conditions }: Rule, facts: Facts): boolean | undefined {
  let isKnown = true
  for (const [dimension, values] of conditions) {
    const given = facts(dimension)
    if (given === undefined) isKnown = false
    else if (!given.some((value) => values.has(value))) return false
  }
  return isKnown ? true : undefined
}

/** Whether every mail with the first conditions fits the second. */
function isWithin(inner: Rule['conditions'], outer: Rule['conditions']): boolean {
  for (const [dimension, values] of outer) {
    const narrower = inner.get(dimension)
    if (narrower === undefined) return false
    for (const value of narrower) if (!reaching(dimension, value).some((each) => values.has(each))) return false
  }
  return true
}

/** Without a class a rule is for all of them. */
function withClasses(conditions: Rule['conditions']): Rule['conditions'] {
  return conditions.has('class') ? conditions : new Map([...conditions, ['class', new Set<string>(MAIL_CLASSES)]])
}

/** Keeps once, of the parts of rules, those that many have: ten thousand rules take little memory then. */
class Shared {
  readonly #sets = new Map<string, ReadonlySet<string>>()
  readonly #shares = new Map<string, readonly Share[]>()

  set(values: readonly string[]): ReadonlySet<string> {
    const key = JSON.stringify(values)
    const set = this.#sets.get(key) ?? new Set(values)
    this.#sets.set(key, set)
    return set
  }

  sharesOf(to: RouteRule['to']): readonly Share[] {
    if (typeof to !== 'string') return Object.entries(to).map(shareOf)
    const shares = this.#shares.get(to) ?? [{ transport: to, weight: 1 }]
    this.#shares.set(to, shares)
    return shares
  }
}

const NO_NAMES: readonly string[] = []

function ruleOf({ name, when, to, ramp, fallback = [], whenFull }: RouteRule, at: number, shared: Shared): Rule {
  const { tag = {}, header = {}, ...lists } = when
  const conditions = new Map<Dimension, ReadonlySet<string>>()
  for (const [key, values] of Object.entries(lists)) if (values !== undefined) conditions.set(key, shared.set(values))
  for (const [key, value] of Object.entries(tag)) conditions.set(`tag ${key}`, shared.set([value]))
  for (const [key, value] of Object.entries(header)) conditions.set(`header ${key.toLowerCase()}`, shared.set([value]))
  const names = fallback.length === 0 ? NO_NAMES : fallback
  const rule = { at, name: name ?? `rule ${at + 1}`, conditions, to: shared.sharesOf(to), fallback: names }
  return ramp === undefined ? { ...rule, waits: whenFull === 'wait' } : { ...rule, ramp, waits: whenFull === 'wait' }
}

function shareOf([transport, weight]: readonly [string, number]): Share {
  return { transport, weight }
}

function keysOf({ conditions }: Rule): readonly (readonly [Dimension, string])[] {
  return [...conditions].flatMap(([dimension, values]) => [...values].map((value) => [dimension, value] as const))
}

/** The dimension by whose values a rule is found; undefined when it has none but what has to be asked for. */
function rarest({ conditions }: Rule, counts: ReadonlyMap<string, number>): Dimension | undefined {
  let best: Dimension | undefined
  let least = Number.POSITIVE_INFINITY
  for (const [dimension, values] of conditions) {
    if (dimension === 'receiver') continue
    const cost = [...values].reduce((sum, value) => sum + (counts.get(`${dimension} ${value}`) ?? 0), 0)
    if (cost < least) [best, least] = [dimension, cost]
  }
  return best
}
