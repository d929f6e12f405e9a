import { Expression, type RangeToken, type Template, type Token, Tokenizer, TypeGuards, toValue } from 'liquidjs'
import { LimitError } from './render-limits.ts'

/** The filter that makes ranges; templates cannot name it, because of the space. */
export const RANGE_FILTER = 'range to'
/** How many numbers a range may have. */
const MAX_RANGE = 100_000

/** Properties of the parsed template that hold no expressions. */
const SKIPPED_PROPERTIES = new Set(['liquid', 'input', 'token', 'tokenizer'])

/**
 * Replaces every `(a..b)` of a parsed template by a bounded filter. The engine's own ranges never end when their
 * numbers are so large that adding one changes nothing.
 */
export function boundRanges(templates: Template[]): Template[] {
  replaceRanges(templates, new Set())
  return templates
}

/** The numbers from `low` to `high`. Throws when there are too many, or when they are too large to count. */
export function rangeOf(low: unknown, high: unknown): readonly number[] {
  const from = Number(toValue(low))
  const to = Number(toValue(high))
  if (!(from <= to)) return []
  if (!(to - from < MAX_RANGE) || Math.max(Math.abs(from), Math.abs(to)) > Number.MAX_SAFE_INTEGER) {
    throw new LimitError(`is not renderable: a range has more than ${MAX_RANGE} numbers`)
  }
  return Array.from({ length: Math.floor(to - from) + 1 }, (_, i) => from + i)
}

function replaceRanges(node: object, seen: Set<object>): void {
  if (seen.has(node)) return
  seen.add(node)
  for (const [key, value] of Object.entries(node)) {
    if (typeof value !== 'object' || value === null || SKIPPED_PROPERTIES.has(key)) continue
    replaceRanges(value, seen)
    if (TypeGuards.isRangeToken(value)) Reflect.set(node, key, filteredRange(value))
  }
}

/** `low | range to: high`, at the same place in the source. */
function filteredRange({ lhs, rhs, input, begin, end, file }: RangeToken): Token {
  const token = new Tokenizer('0 | range: 0').readFilteredValue()
  const [filter] = token.filters
  if (filter === undefined) throw new Error('a filtered value has no filter')
  filter.name = RANGE_FILTER
  filter.args = [rhs]
  token.initial = new Expression([lhs])
  return Object.assign(token, { input, begin, end, file })
}
