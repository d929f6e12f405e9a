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
  /** The first condition that does not fit, and the value of the mail. */
  readonly because: string
}

/** The way of a mail, and why it is that. */
export interface RouteExplained {
  /** The rule that decides; absent: none fits, and the transports are tried in the order of the settings. */
  readonly rule?: { readonly number: number; readonly name: string; readonly because: string }
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
}

/** Explains the way of a mail whose facts are all known. `usual` are the transports in the order of the settings. */
export function explainRoute(book: RuleBook, facts: Facts, usual: readonly string[]): RouteExplained {
  const found = book.find(facts)
  const rule = found === 'ask' ? undefined : found
  const before = book.before(rule?.at ?? book.rules.length, facts)
  const shown = before.slice(-MOST).toReversed()
  const notFitting = shown.map((why) => ({
    number: why.rule.at + 1,
    name: why.rule.name,
    because: becauseNot(why, facts),
  }))
  const more = before.length - shown.length
  if (rule === undefined) return { transports: usual, notFitting, more }
  const decided = { number: rule.at + 1, name: rule.name, because: because(rule, facts) }
  const shares = rule.to.length > 1 ? { shares: sharesOf(rule) } : {}
  return { rule: decided, transports: orderOf(rule, 0), ...shares, notFitting, more }
}

function because({ conditions }: Rule, facts: Facts): string {
  const fits = [...conditions.keys()].map((dimension) => `${nameOf(dimension)} is ${(facts(dimension) ?? []).at(0)}`)
  return fits.length === 0 ? 'it has no condition' : fits.join(', ')
}

function becauseNot({ dimension, wanted }: WhyNot, facts: Facts): string {
  const [own] = facts(dimension) ?? []
  const few = wanted.slice(0, 3).join(' or ')
  const all = wanted.length > 3 ? `${few} or ${wanted.length - 3} more` : few
  if (own !== undefined) return `${nameOf(dimension)} is ${own}, not ${all}`
  if (dimension === 'receiver') return `receiver is not known to be ${all}`
  return `${nameOf(dimension)} is absent${all === '*' ? '' : `, not ${all}`}`
}

function nameOf(dimension: Dimension): string {
  return dimension.includes(' ') ? dimension.replace(' ', '.') : dimension
}

function sharesOf({ to }: Rule): Readonly<Record<string, number>> {
  const sum = to.reduce((total, { weight }) => total + weight, 0)
  return Object.fromEntries(to.map(({ transport, weight }) => [transport, Math.round((weight / sum) * 1000) / 10]))
}
