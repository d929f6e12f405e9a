import type { Receiver } from '../../settings/route-settings.ts'
import { type Dimension, type Facts, orderOf, type Rule, type RuleBook, type WhyNot } from './rules.ts'

/** How many of the rules that do not fit are explained: those right before the one that decides. */
const MOST = 100

/** A rule that a mail does not fit. */
interface RuleNotFitting {
  /** Its place in the list of rules, from 1. */
  readonly number: number
  /** Its name, or `rule 3`. */
  readonly name: string
  /** The first condition that does not fit, and the value of the mail, in a sentence. */
  readonly because: string
  /** The condition that does not fit: a key of `when`, or `tag.` or `header.` with a name. */
  readonly key: string
  /** The value of the mail; absent: it has none, or it is not known. */
  readonly value?: string
  /** The values of which the rule wants one: the first three. */
  readonly wanted: readonly string[]
  /** How many more there are. */
  readonly wantedMore: number
}

/** The rule that decides on a mail. */
interface RuleDeciding {
  /** Its place in the list of rules, from 1. */
  readonly number: number
  /** Its name, or `rule 3`. */
  readonly name: string
  /** Its conditions with the values of the mail, in a sentence. */
  readonly because: string
  /** The same for programs. */
  readonly fits: readonly { readonly key: string; readonly value: string }[]
}

/** The way of a mail, and why it is that. */
export interface RouteExplained {
  /** The rule that decides; absent: none fits, and the transports are tried in the order of the settings. */
  readonly rule?: RuleDeciding
  /** The transports in the order in which they are tried. Of several with shares any may be the first. */
  readonly transports: readonly string[]
  /** The shares in percent, where the rule has several. */
  readonly shares?: Readonly<Record<string, number>>
  /** The rules before that one, the last ones first. */
  readonly notFitting: readonly RuleNotFitting[]
  /** How many more there are. */
  readonly more: number
  /** Who takes the mail of the recipient's domain, where rules ask for it. */
  readonly receiver?: Receiver
  /** True for mail to the simulator, which goes there whatever the rules say. */
  readonly toSimulator?: true
  /** True for mail of a project with mail servers of its own, with which rules have nothing to do. */
  readonly toOwn?: true
}

/**
 * Explains the way of a mail whose facts are all known. `usual` are the transports in the order of the settings; `part`
 * chooses among shares, where the mail is known.
 */
export function explainRoute(book: RuleBook, facts: Facts, usual: readonly string[], part = 0): RouteExplained {
  const found = book.find(facts)
  const rule = found === 'ask' ? undefined : found
  const before = book.before(rule?.at ?? book.rules.length, facts)
  const shown = before.slice(-MOST).toReversed()
  const notFitting = shown.map((why) => whyNot(why, facts))
  const more = before.length - shown.length
  if (rule === undefined) return { transports: usual, notFitting, more }
  const fits = [...rule.conditions.keys()].map((dimension) => ({
    key: nameOf(dimension),
    value: (facts(dimension) ?? []).at(0) ?? '',
  }))
  const decided = { number: rule.at + 1, name: rule.name, because: because(fits), fits }
  const shares = rule.to.length > 1 ? { shares: sharesOf(rule) } : {}
  return { rule: decided, transports: orderOf(rule, part), ...shares, notFitting, more }
}

function because(fits: RuleDeciding['fits']): string {
  return fits.length === 0 ? 'it has no condition' : fits.map(({ key, value }) => `${key} is ${value}`).join(', ')
}

function whyNot({ rule, dimension, wanted: all }: WhyNot, facts: Facts): RuleNotFitting {
  const [value] = facts(dimension) ?? []
  const key = nameOf(dimension)
  const wanted = all.slice(0, 3)
  const wantedMore = all.length - wanted.length
  const because = becauseNot(key, value, `${wanted.join(' or ')}${wantedMore > 0 ? ` or ${wantedMore} more` : ''}`)
  const place = { number: rule.at + 1, name: rule.name, because, key }
  return { ...place, ...(value === undefined ? {} : { value }), wanted, wantedMore }
}

function becauseNot(key: string, value: string | undefined, wanted: string): string {
  if (value !== undefined) return `${key} is ${value}, not ${wanted}`
  if (key === 'receiver') return `receiver is not known to be ${wanted}`
  return `${key} is absent${wanted === '*' ? '' : `, not ${wanted}`}`
}

function nameOf(dimension: Dimension): string {
  return dimension.includes(' ') ? dimension.replace(' ', '.') : dimension
}

function sharesOf({ to }: Rule): Readonly<Record<string, number>> {
  const sum = to.reduce((total, { weight }) => total + weight, 0)
  return Object.fromEntries(to.map(({ transport, weight }) => [transport, Math.round((weight / sum) * 1000) / 10]))
}
