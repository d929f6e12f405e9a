import type { FieldProblem } from '../../errors.ts'
import type { RouteRule } from '../../settings/route-settings.ts'
import { nearest } from '../../values/nearest.ts'
import { RuleBook } from './rules.ts'

/** Where the rules are in the settings. */
const FIELD = 'delivery.routes'
const HEADER_NAME = /^[!-9;-~]+$/

/** The problems of rules that are well formed each: what they name, and how they stand to each other. */
export function routeProblems(given: readonly RouteRule[], transports: readonly string[]): readonly FieldProblem[] {
  return [
    ...given.flatMap((rule, at) => namesOf(rule, at, transports)),
    ...given.flatMap(whenFullOf),
    ...given.flatMap(headersOf),
    ...doubled(given),
    ...hidden(given),
  ]
}

function namesOf({ to, fallback = [] }: RouteRule, at: number, transports: readonly string[]): FieldProblem[] {
  const field = `${FIELD}[${at}]`
  const named = [
    ...(typeof to === 'string'
      ? [{ name: to, field: `${field}.to` }]
      : Object.keys(to).map((name) => ({ name, field: `${field}.to.${name}` }))),
    ...fallback.map((name, i) => ({ name, field: `${field}.fallback[${i}]` })),
  ]
  return named.flatMap((each, i) => {
    if (!transports.includes(each.name)) return [custom(each.field, unknown(each.name, transports))]
    const before = named.slice(0, i).find(({ name }) => name === each.name)
    if (before === undefined) return []
    const message = `goes round in a circle: mail that ${each.name} refused would come back to it, which ${before.field} names already`
    return [custom(each.field, `${message}. Name each transport of a rule once`)]
  })
}

function unknown(name: string, transports: readonly string[]): string {
  const near = nearest(name, transports)
  const hint = near === undefined ? `there are ${transports.join(', ')}` : `did you mean ${near}?`
  return `is not the name of a transport: ${name} (${hint})`
}

function whenFullOf({ fallback, whenFull }: RouteRule, at: number): FieldProblem[] {
  if (whenFull !== 'fallback' || fallback !== undefined) return []
  return [custom(`${FIELD}[${at}].whenFull`, 'needs a fallback: name the transports to go to, or write wait')]
}

function headersOf({ when: { header = {} } }: RouteRule, at: number): FieldProblem[] {
  const seen = new Set<string>()
  return Object.keys(header).flatMap((name) => {
    const field = `${FIELD}[${at}].when.header.${name}`
    if (!HEADER_NAME.test(name)) return [custom(field, 'is not the name of a header field, such as X-Stream')]
    const isSeen = seen.has(name.toLowerCase())
    seen.add(name.toLowerCase())
    return isSeen ? [custom(field, 'is there twice: upper and lower case make no difference')] : []
  })
}

function doubled(given: readonly RouteRule[]): FieldProblem[] {
  const first = new Map<string, number>()
  return given.flatMap(({ name }, at) => {
    if (name === undefined) return []
    const before = first.get(name)
    if (before === undefined) first.set(name, at)
    return before === undefined ? [] : [custom(`${FIELD}[${at}].name`, `is the name of ${FIELD}[${before}], too`)]
  })
}

function hidden(given: readonly RouteRule[]): FieldProblem[] {
  const book = new RuleBook(given)
  return book.rules.flatMap((rule) => {
    const by = book.hiddenBy(rule)
    if (by.length === 0) return []
    const places = by
      .slice(0, 5)
      .map(({ at, name }) => `${FIELD}[${at}]${given[at]?.name === undefined ? '' : ` (${name})`}`)
    const more = by.length > 5 ? ` and ${by.length - 5} more` : ''
    const takes = by.length === 1 ? 'takes' : 'take'
    const message = `can never decide: ${places.join(', ')}${more} before it ${takes} all mail that fits it`
    return [custom(`${FIELD}[${rule.at}]`, `${message}. Move it up, or remove it`)]
  })
}

function custom(field: string, message: string): FieldProblem {
  return { field, code: 'custom', message }
}
