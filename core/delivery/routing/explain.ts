import * as v from 'valibot'
import { isSimulated } from '../../mail/simulator-address.ts'
import { MAIL_CLASSES, type RampedRule, type Receiver } from '../../settings/route-settings.ts'
import { domainOf, EmailAddress } from '../../values/email-address.ts'
import type { InputOf } from '../../values/input.ts'
import { say } from '../../values/parse.ts'
import { factsOf } from './facts.ts'
import { rampedOf } from './rule-ramps.ts'
import { type Dimension, type Facts, orderOf, type Rule, type RuleBook, reaching, type WhyNot } from './rules.ts'

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

/** The ramp of a rule, and how far it is. */
export interface RampExplained {
  /** The transport that takes the part. */
  readonly transport: string
  /** The part of today, in percent: 0 before it begins, and once it went back. */
  readonly share: number
  /** True once it went back, since more was refused than it allows. */
  readonly isBack: boolean
  /** When it begins. */
  readonly from: string
  /** How many percentage points more each day. */
  readonly add: number
  /** The percentage of refusals above which it goes back. */
  readonly backAt: number
}

/** The way of a mail, and why it is that. */
export interface RouteExplained {
  /** The rule that decides; absent: none fits, and the transports are tried in the order of the settings. */
  readonly rule?: RuleDeciding
  /** The transports in the order in which they are tried. Of several with shares any may be the first. */
  readonly transports: readonly string[]
  /** The shares in percent, where the rule has several. */
  readonly shares?: Readonly<Record<string, number>>
  /** The part that goes through another transport first, where the rule has a ramp. */
  readonly ramp?: RampExplained
  /** The rules before that one, the last ones first. */
  readonly notFitting: readonly RuleNotFitting[]
  /** How many more there are. */
  readonly more: number
  /** Who takes the mail of the recipient's domain, where rules ask for it. */
  readonly receiver?: Receiver
  /**
   * The transport that its request names. It `counts` while that is there and the project may name it: then nothing else
   * is tried. Otherwise the rest of this answer decides.
   */
  readonly named?: { readonly transport: string; readonly counts: boolean }
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

/**
 * The same with the ramp of the rule that decides. `takes` is whether the ramp takes the mail, where that is known: of a mail
 * that is described, the way of most is answered. Throws what `stateOf` and `takes` throw.
 */
export async function withRamp(
  book: RuleBook,
  explained: RouteExplained,
  stateOf: (rule: RampedRule) => Promise<Pick<RampExplained, 'share' | 'isBack'>>,
  takes?: (rule: RampedRule) => boolean | Promise<boolean>,
): Promise<RouteExplained> {
  const rule = book.rules.find(({ at }) => at + 1 === explained.rule?.number)
  const ramped = rule && rampedOf(rule)
  if (ramped === undefined) return explained
  const { to: transport, from, add, backAt } = ramped.ramp
  const { share, isBack } = await stateOf(ramped)
  const isFirst = takes === undefined ? share > 50 : await takes(ramped)
  const transports = isFirst ? [transport, ...explained.transports] : explained.transports
  return { ...explained, transports, ramp: { transport, share, isBack, from, add, backAt } }
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

const text = v.pipe(v.string(), v.trim(), v.maxLength(500))
const pairs = v.nullish(
  v.pipe(
    v.record(text, text),
    v.check((given) => Object.keys(given).length <= 100, say('too_big', 'must have at most 100 entries')),
  ),
)

/** A mail whose way is asked for. */
export const RouteQuestion = v.object({
  /** The address of the sender. */
  from: EmailAddress,
  /** The address of the recipient. */
  to: EmailAddress,
  /** Its kind. */
  class: v.picklist(MAIL_CLASSES, `must be ${MAIL_CLASSES.join(', ')}`),
  /** The id or the name of its project. */
  project: v.nullish(text),
  /** The id of its template. */
  template: v.nullish(text),
  /** Its tags. */
  tags: pairs,
  /** Its header fields. */
  headers: pairs,
  /** The transport that its request names. */
  transport: v.nullish(text),
})
/** A mail whose way is asked for. */
export interface RouteQuestion extends InputOf<typeof RouteQuestion> {}

/** The way of a mail whose request names a transport that it goes by. */
export function explainNamed(transport: string, whose: 'own' | 'shared'): RouteExplained {
  const named = { transport, counts: true }
  return { named, transports: [transport], notFitting: [], more: 0, ...(whose === 'own' ? { toOwn: true } : {}) }
}

/** The part of an installation that a way depends on. */
interface Around {
  readonly settings: Parameters<typeof isSimulated>[1]
  /** The transports of mail that no rule fits, in their order. */
  readonly usual: readonly string[]
  /** The id and the name of the project, where they are known. */
  readonly project: readonly (string | undefined)[]
  /** Whose transport the project means by this name; undefined when there is none that it may name. */
  whose(name: string): 'own' | 'shared' | undefined
  /** Asked only where rules name receivers. */
  receiverOf(domain: string): Promise<Receiver | undefined>
  /** Asked only of the rule that decides. */
  rampOf(rule: RampedRule): Promise<Pick<RampExplained, 'share' | 'isBack'>>
}

/** The way of a mail that is described, and why it is that. Throws what asking for the receiver and the ramp throws. */
export async function explainQuestion(
  book: RuleBook,
  question: RouteQuestion,
  { settings, usual, project, whose: whoseIs, receiverOf, rampOf }: Around,
): Promise<RouteExplained> {
  if (isSimulated(question.to, settings)) return { transports: [], notFitting: [], more: 0, toSimulator: true }
  const { transport } = question
  const whose = transport == null ? undefined : whoseIs(transport)
  if (transport != null && whose !== undefined) return explainNamed(transport, whose)
  const given = new Map<Dimension, readonly string[]>()
  const set = (dimension: Dimension, ...known: readonly (string | null | undefined)[]) =>
    given.set(
      dimension,
      [...new Set(known)].flatMap((value) => (value == null ? [] : reaching(dimension, value))),
    )
  set('class', question.class)
  set('project', ...project, question.project)
  set('senderDomain', domainOf(question.from))
  set('recipientDomain', domainOf(question.to))
  set('template', question.template)
  for (const [name, value] of Object.entries(question.tags ?? {})) set(`tag ${name}`, value)
  for (const [name, value] of Object.entries(question.headers ?? {})) set(`header ${name.toLowerCase()}`, value)
  const receiver = book.asks('receiver') ? await receiverOf(domainOf(question.to)) : undefined
  return {
    ...(await withRamp(book, explainRoute(book, factsOf(given, receiver ?? null), usual), rampOf)),
    ...(receiver === undefined ? {} : { receiver }),
    ...(transport == null ? {} : { named: { transport, counts: false } }),
  }
}
