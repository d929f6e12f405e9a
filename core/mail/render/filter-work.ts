import { toValue, toValueSync } from 'liquidjs'
import { shortened } from '../../values/shortened.ts'
import { zoneNamed } from '../../values/zone-names.ts'
import type { FilterTrouble } from './filter-troubles.ts'
import { printed } from './printed.ts'
import { isOutOfTime, limitOf } from './render-limits.ts'

/** The result of a filter; with `trouble` where it could not do its work. */
interface Worked {
  readonly result: unknown
  readonly trouble?: Pick<FilterTrouble, 'kind' | 'value' | 'reason'>
}

/** How much of a value is repeated. */
const SHOWN = 40

const UTC_INSTEAD = 'the time is printed in UTC. Write a name such as Europe/Berlin'

/** Filters that calculate, and how many numbers they take besides their value. */
const CALCULATING = new Map([
  ...['abs', 'ceil', 'floor', 'to_integer'].map((name) => [name, 0] as const),
  ...['at_least', 'at_most', 'divided_by', 'minus', 'modulo', 'plus', 'round', 'times'].map(
    (name) => [name, 1] as const,
  ),
])
/** Other filters that take numbers, and how many. */
const COUNTING = new Map([
  ['sample', 1],
  ['slice', 2],
  ['truncate', 1],
  ['truncatewords', 1],
])
/** A format that pads a part of the date to a width beyond any mail's; the data may have the format. */
const WIDE = /%[-_^#:0]{0,9}\d{4}/
const DATES = new Set(['date', 'date_to_string', 'date_to_long_string', 'date_to_rfc822', 'date_to_xmlschema'])
/** Filters whose first argument is the path of a property. */
const PATH_FILTERS = new Set(['where', 'reject', 'group_by', 'has', 'find', 'find_index'])

/**
 * Applies a filter. Where it cannot do its work, the result is the value as it was, since a contact's data must not cost
 * that contact the mail; only broken limits are thrown.
 */
export function filterWork(
  name: string,
  value: unknown,
  given: readonly unknown[],
  work: (given: readonly unknown[]) => unknown,
): Worked {
  const unable = (reason: string): Worked => ({
    result: value,
    trouble: { kind: 'value', value: shown(value), reason },
  })
  try {
    if (DATES.has(name)) return dateWork(value, given, work, unable)
    const read = readGiven(name, value, given)
    if (typeof read === 'string') return unable(read)
    const result = toValueSync(work(read))
    return typeof result === 'number' && !Number.isFinite(result) ? unable('the result is not a number') : { result }
  } catch (error) {
    if (isOutOfTime(error) || limitOf(error) !== undefined) throw error
    return unable(error instanceof Error ? error.message : String(error))
  }
}

/** The arguments, with numbers where they are expected; or why there are none. */
function readGiven(name: string, value: unknown, given: readonly unknown[]): readonly unknown[] | string {
  if (PATH_FILTERS.has(name) && printed(given[0]).includes('..')) return 'its property is not a path'
  const calculates = CALCULATING.get(name)
  if (calculates !== undefined && numberOf(value) === undefined) return 'it is not a number'
  const numbers = calculates ?? COUNTING.get(name) ?? 0
  const read = [...given]
  for (let i = 0; i < Math.min(numbers, read.length); i++) {
    const number = isMissing(read[i]) ? read[i] : numberOf(read[i])
    if (number === undefined && !isMissing(read[i])) return 'an argument is not a number'
    read[i] = number ?? undefined
  }
  // more than there is takes no more memory
  if (name === 'slice' && typeof read[1] === 'number') read[1] = Math.min(read[1], lengthOf(value))
  return read
}

function dateWork(
  value: unknown,
  given: readonly unknown[],
  work: (given: readonly unknown[]) => unknown,
  unable: (reason: string) => Worked,
): Worked {
  if (typeof value !== 'string' && typeof value !== 'number' && !isMissing(value)) return unable('it is not a date')
  const [format, zone, ...others] = given
  if (WIDE.test(printed(format))) return unable('its format has a width of more than 999')
  const isNumber = typeof zone === 'number' && Number.isFinite(zone)
  const known = isNumber || isMissing(zone) ? zone || undefined : zoneNamed(printed(zone))
  const result = toValueSync(work([isMissing(format) ? undefined : printed(format), known, ...others]))
  // it answers what it cannot read
  if (result === value && !isMissing(value)) return unable('it is not a date')
  if (isNumber || isMissing(zone) || known !== undefined) return { result }
  return { result, trouble: { kind: 'zone', value: shown(zone), reason: UTC_INSTEAD } }
}

function shown(value: unknown): string {
  return shortened(printed(value), SHOWN)
}

/** A missing value counts as 0, as everywhere in Liquid. */
function numberOf(value: unknown): number | undefined {
  const plain: unknown = toValue(value)
  if (isMissing(plain)) return 0
  if (typeof plain !== 'number' && typeof plain !== 'string') return undefined
  const number = Number(plain)
  return Number.isFinite(number) ? number : undefined
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : printed(value).length
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}
