import * as v from 'valibot'
import type { FieldProblem } from '../../errors.ts'
import { RouteRule } from '../../settings/route-settings.ts'
import { nearest } from '../../values/nearest.ts'
import { RuleBook } from './rules.ts'

/** The place of a rule in what was given: that of the settings. */
const inSettings: PlaceOf = (at) => `delivery.routes[${at}]`
const HEADER_NAME = /^[!-9;-~]+$/

/** The field at which a problem of a rule is shown, and how other problems name that rule. */
type PlaceOf = (at: number) => string

/**
 * The problems of rules that are well formed each: what they name, and how they stand to each other. Those that are
 * undefined keep their place.
 */
export function routeProblems(
  given: readonly (RouteRule | undefined)[],
  transports: readonly string[],
  placeOf: PlaceOf = inSettings,
): readonly FieldProblem[] {
  return [
    ...given.flatMap((rule, at) => (rule === undefined ? [] : ownOf(rule, placeOf(at), transports))),
    ...doubled(given, placeOf),
    ...hidden(given, placeOf),
  ]
}

/**
 * The same problems of rules of which some are not well formed: those are looked at without their conditions, where these
 * alone are wrong. So one look names every mistake of a file.
 */
export function readableProblems(
  raw: unknown,
  transports: readonly string[],
  placeOf: PlaceOf = inSettings,
): readonly FieldProblem[] {
  const all: readonly unknown[] = Array.isArray(raw) ? raw : []
  const rules = all.map(readRule)
  const rest = all.map((each, at) => (rules[at] === undefined ? readRule(withoutConditions(each)) : undefined))
  return [
    ...routeProblems(rules, transports, placeOf),
    ...rest.flatMap((rule, at) => (rule === undefined ? [] : ownOf(rule, placeOf(at), transports))),
  ]
}

function readRule(raw: unknown): RouteRule | undefined {
  const read = v.safeParse(RouteRule, raw)
  return read.success ? read.output : undefined
}

function withoutConditions(raw: unknown): unknown {
  return typeof raw === 'object' && raw !== null ? Object.assign({}, raw, { when: undefined }) : raw
}

/** The problems of a rule without a look at the others. */
function ownOf(rule: RouteRule, field: string, transports: readonly string[]): FieldProblem[] {
  return [
    ...namesOf(rule, field, transports),
    ...whenFullOf(rule, field),
    ...rampOf(rule, field),
    ...headersOf(rule, field),
  ]
}

function namesOf({ to, ramp, fallback = [] }: RouteRule, field: string, transports: readonly string[]): FieldProblem[] {
  const named = [
    ...(typeof to === 'string'
      ? [{ name: to, field: `${field}.to` }]
      : Object.keys(to).map((name) => ({ name, field: `${field}.to.${name}` }))),
    ...(ramp === undefined ? [] : [{ name: ramp.to, field: `${field}.ramp.to` }]),
    ...fallback.map((name, i) => ({ name, field: `${field}.${part('fallback', i, field)}` })),
  ]
  return named.flatMap((each, i) => {
    if (!transports.includes(each.name)) return [custom(each.field, unknownTransport(each.name, transports))]
    const before = named.slice(0, i).find(({ name }) => name === each.name)
    if (before === undefined) return []
    const message = `goes round in a circle: mail that ${each.name} refused would come back to it, which ${before.field} names already`
    return [custom(each.field, `${message}. Name each transport of a rule once`)]
  })
}

/** The problem of a name that is none of these transports, with the one that was meant. */
export function unknownTransport(name: string, transports: readonly string[]): string {
  const near = nearest(name, transports)
  const hint = near === undefined ? `there are ${transports.join(', ')}` : `did you mean ${near}?`
  return `is not the name of a transport: ${name} (${hint})`
}

/** The item of a list, as the places of this kind are written. */
function part(list: string, at: number, field: string): string {
  return field.endsWith(']') ? `${list}[${at}]` : `${list}.${at}`
}

function whenFullOf({ fallback, whenFull }: RouteRule, field: string): FieldProblem[] {
  if (whenFull !== 'fallback' || fallback !== undefined) return []
  return [custom(`${field}.whenFull`, 'needs a fallback: name the transports to go to, or write wait')]
}

/** It is remembered under the name of its rule, which a change of the other rules leaves as it is. */
function rampOf({ name, ramp }: RouteRule, field: string): FieldProblem[] {
  if (ramp === undefined || name !== undefined) return []
  return [custom(`${field}.name`, 'is needed beside ramp: what was refused is counted under it')]
}

function headersOf({ when: { header = {} } }: RouteRule, place: string): FieldProblem[] {
  const seen = new Set<string>()
  return Object.keys(header).flatMap((name) => {
    const field = `${place}.when.header.${name}`
    if (!HEADER_NAME.test(name)) return [custom(field, 'is not the name of a header field, such as X-Stream')]
    const isSeen = seen.has(name.toLowerCase())
    seen.add(name.toLowerCase())
    return isSeen ? [custom(field, 'is there twice: upper and lower case make no difference')] : []
  })
}

function doubled(given: readonly (RouteRule | undefined)[], placeOf: PlaceOf): FieldProblem[] {
  const first = new Map<string, number>()
  return given.flatMap((rule, at) => {
    const name = rule?.name
    if (name === undefined) return []
    const before = first.get(name)
    if (before === undefined) first.set(name, at)
    return before === undefined ? [] : [custom(`${placeOf(at)}.name`, `is the name of ${placeOf(before)}, too`)]
  })
}

function hidden(given: readonly (RouteRule | undefined)[], placeOf: PlaceOf): FieldProblem[] {
  const book = new RuleBook(given)
  return book.rules.flatMap((rule) => {
    const by = book.hiddenBy(rule)
    if (by.length === 0) return []
    const places = by
      .slice(0, 5)
      .map(({ at, name }) => `${placeOf(at)}${given[at]?.name === undefined ? '' : ` (${name})`}`)
    const more = by.length > 5 ? ` and ${by.length - 5} more` : ''
    const takes = by.length === 1 ? 'takes' : 'take'
    const message = `can never decide: ${places.join(', ')}${more} before it ${takes} all mail that fits it`
    return [custom(placeOf(rule.at), `${message}. Move it up, or remove it`)]
  })
}

function custom(field: string, message: string): FieldProblem {
  return { field, code: 'custom', message }
}
