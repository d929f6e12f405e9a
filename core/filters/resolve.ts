import * as v from 'valibot'
import type {
  Audience,
  CampaignDeed,
  CampaignTest,
  Comparison,
  EventTest,
  MomentTest,
  NumberTest,
  Part,
  Span,
  ValueTest,
} from '../ports/store/audiences.ts'
import type { AnyCondition, Unit } from '../ports/store/filters.ts'
import type { Topic } from '../ports/store/topics.ts'
import { EmailAddress } from '../values/email-address.ts'
import { choicesOf, type FieldOf, isSure } from '../values/fields-of-contact.ts'
import { instantOf } from '../values/iso-date.ts'
import { Days, dayAfter } from '../values/time-zone.ts'
import { DAYS_OF_YEAR } from './read-condition.ts'
import type { DataPaths, Subject } from './subject.ts'

/** When a filter is asked, and where: days begin and end by the clocks of this time zone. */
export interface Asked {
  readonly now: Date
  readonly zone: string
}

/** Matches no contact. */
export const NOBODY: Audience = { kind: 'any', of: [] }

/**
 * Compiles one condition as of this moment; conditions on segments and topics are handled elsewhere. A condition that
 * would not be accepted, such as one with an unknown operator, matches no contact.
 */
export function resolve(
  condition: AnyCondition,
  subject: Exclude<Subject, { kind: 'segment' | 'topic' }>,
  asked: Asked,
): Audience {
  switch (subject.kind) {
    case 'text':
      return text(condition, subject.field)
    case 'flag':
      return negated(condition.operator, { kind: 'flag', field: subject.field, is: condition.value === true })
    case 'choice': {
      const is = choicesOf(subject.field).find((choice) => choice === condition.value)
      return is === undefined ? NOBODY : negated(condition.operator, { kind: 'choice', field: subject.field, is })
    }
    case 'moment':
    case 'date':
      return moment(condition, subject.field, asked.now)
    case 'number':
      return tested(condition.operator, { kind: 'number', field: subject.field, ...boundsOf(condition) })
    case 'data':
      return data(condition, subject.paths, asked)
    case 'event':
      return event(condition, subject.name, asked.now)
    case 'campaign':
      return campaign(condition, subject.id)
  }
}

/** Contacts who get the topic's mail, as long as they are subscribed at all (`equals`), or who have ever chosen (`exists`). */
export function topicAudience({ operator, value }: Pick<AnyCondition, 'operator' | 'value'>, topic: Topic): Audience {
  const chose = (is: boolean): Audience => ({ kind: 'topic', topicId: topic.id, is })
  const ever: Audience = { kind: 'any', of: [chose(true), chose(false)] }
  const gets: Audience = topic.standing === 'in' ? { kind: 'not', of: chose(false) } : chose(true)
  switch (operator) {
    case 'exists':
      return ever
    case 'notExists':
      return { kind: 'not', of: ever }
    default:
      return (value === true) === (operator === 'equals') ? gets : { kind: 'not', of: gets }
  }
}

function moment(condition: AnyCondition, field: MomentTest['field'], now: Date): Audience {
  const { operator } = condition
  const span = isPresence(operator) ? {} : spanOf(condition, now)
  if (span === undefined) return NOBODY
  // only clocks that differ put our own times into the future: a contact made just now is within the last minutes
  if (operator === 'within' && isSure(field)) return { kind: 'moment', field, from: span.from ?? EARLIEST }
  return tested(operator, { kind: 'moment', field, ...known(span) })
}

/**
 * The test that an operator makes of one with bounds. A contact without a value matches neither an operator nor its
 * opposite, as with its data.
 */
function tested(operator: string, test: MomentTest | NumberTest): Audience {
  if (operator === 'notExists') return { kind: 'not', of: test }
  if (!isNegative(operator) || isSure(test.field)) return negated(operator, test)
  const { kind, field } = test
  return { kind: 'all', of: [{ kind, field } as MomentTest | NumberTest, { kind: 'not', of: test }] }
}

/** The whole numbers that an operator means. */
function boundsOf({ operator, value }: AnyCondition): Pick<NumberTest, 'least' | 'most'> {
  const number = Number(value)
  switch (operator) {
    case 'greaterThan':
      return { least: Math.floor(number) + 1 }
    case 'greaterThanOrEqual':
      return { least: Math.ceil(number) }
    case 'lessThan':
      return { most: Math.ceil(number) - 1 }
    case 'lessThanOrEqual':
      return { most: Math.floor(number) }
    case 'equals':
    case 'notEquals':
      return { least: Math.ceil(number), most: Math.floor(number) }
    default:
      return {}
  }
}

function isPresence(operator: string): boolean {
  return operator === 'exists' || operator === 'notExists'
}

function text({ operator, value }: AnyCondition, field: FieldOf<'text'>): Audience {
  const isAddress = field === 'email'
  const part = partOf(operator, isAddress ? String(value).toLowerCase() : String(value))
  if (part) return negated(operator, { kind: 'text', field, ...part })
  const texts = (Array.isArray(value) ? value : [value]).map(String)
  return negated(operator, { kind: 'text', field, is: 'oneOf', values: isAddress ? texts.map(address) : texts })
}

/** An address as stored, however it was written; any other text in lower case. */
function address(text: string): string {
  const { success, output } = v.safeParse(EmailAddress, text)
  return success ? output : text.toLowerCase()
}

/**
 * A contact without such a value matches neither an operator nor its opposite. An empty text or list is a value, but for
 * `exists` and `notExists`.
 */
function data(condition: AnyCondition, paths: DataPaths, asked: Asked): Audience {
  const { operator } = condition
  const tests = atFirst(paths, valueTests(condition, asked))
  if (operator === 'notExists') return { kind: 'not', of: tests }
  if (!isNegative(operator)) return tests
  const present: Audience = anyOf(paths.map((path) => ({ kind: 'data', path, test: { is: 'present' } })))
  return { kind: 'all', of: [present, { kind: 'not', of: tests }] }
}

/** One of the tests, on the first of these paths that has a value. */
function atFirst([path, ...others]: DataPaths, tests: readonly ValueTest[]): Audience {
  if (path === undefined) return NOBODY
  const here = anyOf(tests.map((test) => ({ kind: 'data', path, test })))
  if (others.length === 0) return here
  const absent: Audience = { kind: 'not', of: { kind: 'data', path, test: { is: 'present' } } }
  return anyOf([here, { kind: 'all', of: [absent, atFirst(others, tests)] }])
}

function anyOf(of: readonly Audience[]): Audience {
  const [only] = of
  return only && of.length === 1 ? only : { kind: 'any', of }
}

/**
 * Tests of which one must hold. A text that is a number equals it, too, and is ordered as one; one that is a date is a date;
 * `in` compares dates as texts.
 */
function valueTests(condition: AnyCondition, { now, zone }: Asked): readonly ValueTest[] {
  const { operator, value } = condition
  if (isPresence(operator)) return [{ is: 'filled' }]
  const part = partOf(operator, String(value))
  if (part) return [part]
  if (operator === 'in' || operator === 'notIn')
    return [{ is: 'oneOf', values: (Array.isArray(value) ? value : []).flatMap(meanings) }]
  if (operator === 'equals' || operator === 'notEquals') {
    return [{ is: 'oneOf', values: meanings(value) }, ...dateTest(value, operator)]
  }
  if (operator === 'yearlyWithinNext') return yearly(value, now, zone)
  if (isSpan(operator)) {
    const span = spanOf(condition, now)
    return span ? [{ is: 'moment', ...span }] : []
  }
  if (!isComparison(operator)) return []
  const dates = dateTest(value, operator)
  if (dates.length > 0) return dates
  const number = meanings(value).find((each) => typeof each === 'number')
  if (number !== undefined) return [{ is: 'number', how: operator, number }]
  return typeof value === 'string' ? [{ is: 'text', how: operator, text: value }] : []
}

function meanings(value: unknown): readonly (string | number | boolean)[] {
  if (typeof value === 'string') {
    return NUMBER.test(value) && Number.isFinite(Number(value)) ? [value, Number(value)] : [value]
  }
  return typeof value === 'number' || typeof value === 'boolean' ? [value] : []
}

/** A number as JSON writes it (RFC 8259, section 6): no leading zeros. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

function dateTest(value: unknown, operator: string): readonly ValueTest[] {
  const span = typeof value === 'string' ? dateSpan(operator, value) : undefined
  return span ? [{ is: 'moment', ...span }] : []
}

function event({ operator, value, unit, count = 1 }: AnyCondition, name: string, now: Date): Audience {
  const asked: EventTest = { kind: 'event', name, count }
  if (operator === 'triggered') return asked
  if (operator === 'notTriggered') return { kind: 'not', of: asked }
  const since = ago(now, value, unit)
  if (since === undefined) return NOBODY
  switch (operator) {
    case 'triggeredWithin':
      return { ...asked, from: since }
    case 'notTriggeredWithin':
      return { kind: 'not', of: { ...asked, from: since } }
    case 'triggeredOlderThan': {
      const lately: EventTest = { kind: 'event', name, count: 1, from: since }
      return {
        kind: 'all',
        of: [
          { ...asked, before: since },
          { kind: 'not', of: lately },
        ],
      }
    }
    default:
      return NOBODY
  }
}

/**
 * The opposites of opening and clicking are about people who got the mail, and of whom it would be known: without the
 * consent to tracking it is unknown whether they opened it. Other opposites are about all other contacts.
 */
function campaign({ operator, value }: AnyCondition, campaignId: string): Audience {
  const did = (name: string): CampaignTest | undefined => {
    if (name === 'clickedLink') return { kind: 'campaign', campaignId, did: 'follow', link: String(value) }
    const deed = CAMPAIGN_DEEDS.get(name)
    return deed && { kind: 'campaign', campaignId, did: deed }
  }
  const opposite = OPPOSITES.get(operator) ?? ''
  const asked = did(operator) ?? did(opposite)
  if (asked === undefined) return NOBODY
  if (opposite === '') return asked
  const others: Audience = { kind: 'not', of: asked }
  if (!NEED_CONSENT.has(opposite)) return others
  const received: Audience = { kind: 'campaign', campaignId, did: 'receive' }
  return { kind: 'all', of: [received, { kind: 'choice', field: 'tracking', is: 'full' }, others] }
}

const CAMPAIGN_DEEDS: ReadonlyMap<string, CampaignDeed> = new Map<string, CampaignDeed>([
  ['received', 'receive'],
  ['opened', 'open'],
  ['clicked', 'click'],
  ['humanOpened', 'humanOpen'],
  ['humanClicked', 'humanClick'],
  ['bounced', 'bounce'],
  ['failed', 'fail'],
  ['mailed', 'mail'],
])

const OPPOSITES: ReadonlyMap<string, string> = new Map(
  [...CAMPAIGN_DEEDS.keys(), 'clickedLink'].map((name) => [
    `not${name.replace(/^./, (first) => first.toUpperCase())}`,
    name,
  ]),
)

const NEED_CONSENT: ReadonlySet<string> = new Set(['opened', 'clicked', 'humanOpened', 'humanClicked', 'clickedLink'])

function spanOf({ operator, value, unit }: AnyCondition, now: Date): Span | undefined {
  if (!isSpan(operator)) return dateSpan(operator, String(value))
  const [since, until] = [ago(now, value, unit), ahead(now, value, unit)]
  if (since === undefined || until === undefined) return undefined
  switch (operator) {
    case 'within':
      return { from: since, before: after(now) }
    case 'withinNext':
      return { from: after(now), before: after(until) }
    case 'olderThan':
      return { before: since }
  }
}

function isSpan(operator: string): operator is 'within' | 'withinNext' | 'olderThan' {
  return operator === 'within' || operator === 'withinNext' || operator === 'olderThan'
}

/**
 * The days of the year from today on. In a year without 29 February it counts on the 28th: between that day and 1 March
 * it is there anyway, and where the days end on the 28th they go on to it.
 */
function yearly(value: unknown, now: Date, zone: string): readonly ValueTest[] {
  if (typeof value !== 'number') return []
  if (value >= DAYS_OF_YEAR) return [{ is: 'yearly', first: '01-01', last: '12-31' }]
  const today = new Days(zone).of(now)
  const end = dayAfter(today, value)
  const isLast = end.endsWith('-02-28') && dayAfter(end, 1).endsWith('-03-01')
  const [first, last] = [today, end].map((day) => day.slice('yyyy-'.length)) as [string, string]
  return [{ is: 'yearly', first, last: isLast ? '02-29' : last }]
}

/** The span an operator means for a date; a bare date is that whole day in UTC. */
function dateSpan(operator: string, text: string): Span | undefined {
  const from = instantOf(text)
  if (from === undefined) return undefined
  const end = new Date(from.getTime() + (text.length === BARE.length ? DAY_MS : 1))
  switch (operator) {
    case 'equals':
    case 'notEquals':
      return { from, before: end }
    case 'greaterThan':
      return { from: end }
    case 'greaterThanOrEqual':
      return { from }
    case 'lessThan':
      return { before: from }
    case 'lessThanOrEqual':
      return { before: end }
    default:
      return undefined
  }
}

const BARE = 'yyyy-mm-dd'
const DAY_MS = 86_400_000
const UNIT_MS: Readonly<Record<Unit, number>> = { minutes: 60_000, hours: 3_600_000, days: DAY_MS }

function ago(now: Date, value: unknown, unit: Unit | undefined): Date | undefined {
  const ms = length(value, unit)
  return ms === undefined ? undefined : new Date(Math.max(now.getTime() - ms, EARLIEST.getTime()))
}

function ahead(now: Date, value: unknown, unit: Unit | undefined): Date | undefined {
  const ms = length(value, unit)
  return ms === undefined ? undefined : new Date(Math.min(now.getTime() + ms, LATEST.getTime()))
}

/** How long a span is, in milliseconds. */
function length(value: unknown, unit: Unit | undefined): number | undefined {
  if (typeof value !== 'number' || unit === undefined || !Object.hasOwn(UNIT_MS, unit)) return undefined
  return value * UNIT_MS[unit]
}

/** The next moment. */
function after(moment: Date): Date {
  return new Date(moment.getTime() + 1)
}

/** The same span, limited to times that databases can hold. */
function known({ from, before }: Span): Span {
  const later = (bound: Date) => (bound < EARLIEST ? EARLIEST : bound)
  return { ...(from && { from: later(from) }), ...(before && { before: later(before) }) }
}

/** The beginning of year 1: not all databases know earlier times. */
const EARLIEST = new Date('0001-01-01T00:00:00Z')
/** The last moment that a date of ISO 8601 can name. */
const LATEST = new Date('9999-12-31T23:59:59.999Z')

function partOf(operator: string, text: string): Part | undefined {
  switch (operator) {
    case 'contains':
    case 'notContains':
      return { is: 'text', how: 'contains', text }
    case 'startsWith':
    case 'endsWith':
      return { is: 'text', how: operator, text }
    default:
      return undefined
  }
}

function isComparison(operator: string): operator is Comparison {
  return COMPARISONS.some((each) => each === operator)
}

const COMPARISONS: readonly Comparison[] = ['greaterThan', 'lessThan', 'greaterThanOrEqual', 'lessThanOrEqual']

function negated(operator: string, asked: Audience): Audience {
  return isNegative(operator) ? { kind: 'not', of: asked } : asked
}

function isNegative(operator: string): boolean {
  return operator === 'notEquals' || operator === 'notContains' || operator === 'notIn'
}
