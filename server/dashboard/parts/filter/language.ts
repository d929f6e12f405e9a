import type { components } from '../../api/client.ts'
import type { Texts } from '../../texts/types.ts'
import { fieldLabel } from '../field-label.ts'
import type { useFormats } from '../formats.ts'

type Formats = ReturnType<typeof useFormats>

export type Filter = components['schemas']['Filter']
export type Condition = components['schemas']['FilterCondition']
export type Operator = Condition['operator']

/** The value that an operator takes; `span` is a number and a unit, `days` a number of days. */
type Takes =
  | 'nothing'
  | 'link'
  | 'text'
  | 'list'
  | 'boolean'
  | 'consent'
  | 'date'
  | 'number'
  | 'value'
  | 'span'
  | 'days'

/** The kinds of fields that differ in their operators. */
type Kind =
  | 'address'
  | 'boolean'
  | 'consent'
  | 'moment'
  | 'number'
  | 'text'
  | 'object'
  | 'event'
  | 'segment'
  | 'topic'
  | 'campaign'

const COMPARISONS: readonly Operator[] = ['greaterThan', 'lessThan', 'greaterThanOrEqual', 'lessThanOrEqual']
const WORDS: readonly Operator[] = ['contains', 'notContains', 'startsWith', 'endsWith', 'in', 'notIn']
const PRESENCE: readonly Operator[] = ['exists', 'notExists']
/** Operators of dates that contacts' data and events bring along; the times we set are never in the future. */
const OF_DATES: readonly Operator[] = ['within', 'withinNext', 'yearlyWithinNext', 'olderThan']
const SPANS: readonly Operator[] = [
  ...(['within', 'withinNext', 'olderThan'] as const),
  ...(['triggeredWithin', 'notTriggeredWithin', 'triggeredOlderThan'] as const),
]
const EQUAL: readonly Operator[] = ['equals', 'notEquals']

const OPERATORS: Readonly<Record<Kind, readonly Operator[]>> = {
  address: [...EQUAL, ...WORDS],
  boolean: [...EQUAL, ...PRESENCE],
  consent: EQUAL,
  moment: ['within', 'olderThan', ...COMPARISONS, ...EQUAL],
  number: [...EQUAL, ...COMPARISONS, 'in', 'notIn', ...PRESENCE],
  text: [...EQUAL, ...WORDS, ...COMPARISONS, ...PRESENCE, ...OF_DATES],
  object: [...PRESENCE, ...EQUAL, ...WORDS, ...COMPARISONS],
  event: ['triggered', 'notTriggered', 'triggeredWithin', 'notTriggeredWithin', 'triggeredOlderThan'],
  segment: ['memberOfSegment', 'notMemberOfSegment'],
  topic: [...EQUAL, ...PRESENCE],
  campaign: [
    ...(['received', 'notReceived', 'opened', 'notOpened', 'clicked', 'notClicked'] as const),
    ...(['humanOpened', 'notHumanOpened', 'humanClicked', 'notHumanClicked', 'clickedLink', 'notClickedLink'] as const),
    ...(['bounced', 'notBounced', 'failed', 'notFailed', 'mailed', 'notMailed'] as const),
  ],
}

/** A day, with or without a time, as the API reads it. */
const DATE = /^\d{4}-\d{2}-\d{2}/

/** Deepest nesting of a filter, as the API has it. */
export const MAX_DEPTH = 5

/** The kinds of values of contacts' fields, by their names in the API. */
export type FieldTypes = ReadonlyMap<string, string>

/**
 * Whether a condition of a workflow asks for what its run brings along: `event.plan` with a comparison is a value of the
 * event, with an operator of events it is the event `plan`; `context.…` is always a value.
 */
export function isOfRun(field: string, operator: Operator | undefined): boolean {
  if (field.startsWith('context.')) return true
  return field.startsWith('event.') && operator !== undefined && !OPERATORS.event.includes(operator)
}

export function kindOf(field: string, types: FieldTypes, operator?: Operator): Kind {
  if (isOfRun(field, operator)) return 'text'
  if (field === 'email') return 'address'
  if (field === 'subscribed') return 'boolean'
  if (field === 'tracking') return 'consent'
  if (field === 'createdAt' || field === 'updatedAt' || field === 'pausedUntil') return 'moment'
  if (field === 'everyDays') return 'number'
  if (field.startsWith('event.') || /^email\.\w+$/.test(field)) return 'event'
  if (field.startsWith('segment.')) return 'segment'
  if (field.startsWith('topic.')) return 'topic'
  if (field.startsWith('campaign.')) return 'campaign'
  const type = types.get(field)
  if (type === 'number') return 'number'
  if (type === 'boolean') return 'boolean'
  if (type === 'date') return 'moment'
  return type === 'object' ? 'object' : 'text'
}

/** The operators of a field; for a value of the run, given the one it has. */
export function operatorsOf(field: string, types: FieldTypes, operator?: Operator): readonly Operator[] {
  const kind = kindOf(field, types, operator)
  const own = OPERATORS[kind]
  const isData = field.startsWith('data.')
  if (kind === 'boolean' && !isData) return EQUAL
  if (field === 'pausedUntil') return ['within', 'withinNext', 'olderThan', ...COMPARISONS, ...EQUAL, ...PRESENCE]
  if (field === 'everyDays') return [...EQUAL, ...COMPARISONS, ...PRESENCE]
  return kind === 'moment' && isData ? [...OF_DATES, ...COMPARISONS, ...EQUAL, ...PRESENCE] : own
}

export function takenBy(field: string, operator: Operator, types: FieldTypes): Takes {
  if (SPANS.includes(operator)) return 'span'
  if (operator === 'yearlyWithinNext') return 'days'
  const kind = kindOf(field, types, operator)
  if (operator === 'clickedLink' || operator === 'notClickedLink') return 'link'
  if (kind === 'event' || kind === 'segment' || kind === 'campaign' || PRESENCE.includes(operator)) return 'nothing'
  if (operator === 'in' || operator === 'notIn') return 'list'
  if (kind === 'topic') return 'boolean'
  if (kind === 'boolean' || kind === 'consent') return kind
  if (kind === 'moment') return 'date'
  if (kind === 'number') return 'number'
  return kind === 'address' || WORDS.includes(operator) ? 'text' : 'value'
}

/** A condition with this field and operator, keeping of the other what still fits. */
export function withOperator(
  { value, unit, count }: Condition,
  field: string,
  operator: Operator,
  types: FieldTypes,
): Condition {
  const takes = takenBy(field, operator, types)
  // the number of a span, such as the 30 of 30 days, is none of another kind
  const kept = unit === undefined ? value : undefined
  const times = kindOf(field, types, operator) === 'event' && count !== undefined ? { count } : {}
  switch (takes) {
    case 'nothing':
      return { field, operator, ...times }
    case 'span':
      return { field, operator, value: typeof value === 'number' ? value : 30, unit: unit ?? 'days', ...times }
    case 'days':
      return { field, operator, value: typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : 0 }
    case 'boolean':
      return { field, operator, value: value !== false }
    case 'consent':
      return { field, operator, value: typeof value === 'string' && value !== '' ? value : 'full' }
    case 'list':
      return {
        field,
        operator,
        value: Array.isArray(kept) ? kept : kept === undefined || kept === '' ? [] : [kept],
      }
    case 'number':
      return { field, operator, value: typeof kept === 'number' ? kept : 0 }
    case 'date':
      return { field, operator, value: typeof kept === 'string' && DATE.test(kept) ? kept : '' }
    case 'text':
      return { field, operator, value: typeof kept === 'string' || typeof kept === 'number' ? String(kept) : '' }
    default:
      return { field, operator, value: typeof kept === 'string' || typeof kept === 'number' ? kept : '' }
  }
}

export function isGroup(part: Condition | Filter): part is Filter {
  return 'conditions' in part
}

/**
 * The value of a field of any type, as it is typed. The API finds a postcode and a number by the same text, but by a number
 * only numbers. So a number is made of that alone which it would not read: decimals after a comma.
 */
export function typedValue(text: string, { decimal }: Pick<Formats, 'decimal'>): string | number {
  if (decimal === '.' || !text.includes(decimal)) return text
  const number = Number(text.replace(decimal, '.'))
  return Number.isFinite(number) && String(number).replace('.', decimal) === text.trim() ? number : text
}

/** The names of segments and campaigns, by their ids, and of topics by their slugs. */
export type Names = ReadonlyMap<string, string>

/** The name of a field as people say it. */
export function fieldName(field: string, t: Texts, names: Names, operator?: Operator): string {
  const known = t.filter.fields[field]
  if (known !== undefined) return known
  if (field.startsWith('context.')) return t.filter.ofContext(field.slice(8))
  if (isOfRun(field, operator)) return t.filter.ofEvent(field.slice(6))
  if (field.startsWith('data.')) return fieldLabel(field.slice(5), t)
  if (field.startsWith('event.')) return t.filter.event(field.slice(6))
  if (field.startsWith('email.')) return t.filter.mail[field.slice(6)] ?? field
  if (field.startsWith('segment.')) return t.filter.segment(names.get(field.slice(8)) ?? field.slice(8))
  if (field.startsWith('topic.')) return t.filter.topic(names.get(field.slice(6)) ?? field.slice(6))
  if (field.startsWith('campaign.')) return t.filter.campaign(names.get(field.slice(9)) ?? field.slice(9))
  return field
}

/** The name of a comparison; of times, it speaks of before and after. */
export function operatorName(field: string, operator: Operator, t: Texts, types: FieldTypes): string {
  const isMoment = kindOf(field, types, operator) === 'moment'
  return (isMoment ? t.filter.dateOperators[operator] : undefined) ?? t.filter.operators[operator] ?? operator
}

/** The rule in words: "plan is pro and (Mail opened in the last 30 days or …)". */
export function inWords(
  filter: Filter,
  t: Texts,
  types: FieldTypes,
  names: Names,
  formats: Pick<Formats, 'plain' | 'date'>,
): string {
  if (filter.conditions.length === 0) return t.filter.everybody
  const parts = filter.conditions.map((part) => {
    if (isGroup(part)) {
      const inside = inWords(part, t, types, names, formats)
      return part.conditions.length > 1 ? `(${inside})` : inside
    }
    const { field, operator, value, unit, count } = part
    if (field === '') return t.filter.unfinished
    const words = [
      fieldName(field, t, names, operator),
      operatorName(field, operator, t, types),
      operator === 'yearlyWithinNext' ? t.filter.daysAhead(Number(value)) : valueInWords(field, value, t, formats),
    ]
    if (unit !== undefined) words.push(t.filter.units[unit] ?? unit)
    if (count !== undefined) words.push(t.filter.times(count))
    return words.filter(Boolean).join(' ')
  })
  return parts.join(` ${filter.operator === 'AND' ? t.filter.and : t.filter.or} `)
}

function valueInWords(
  field: string,
  value: Condition['value'],
  t: Texts,
  { plain, date }: Pick<Formats, 'plain' | 'date'>,
): string {
  if (value === undefined) return ''
  if (field === 'tracking') return consentName(value, t)
  if (typeof value === 'boolean') return value ? t.filter.yes : t.filter.no
  const shown = (each: unknown) => {
    if (typeof each === 'number') return plain(each)
    const text = String(each)
    return text.length === 10 && isDay(text) ? date(text) : text
  }
  return Array.isArray(value) ? value.map(shown).join(', ') : shown(value)
}

/** Whether it is a day of the calendar; half a typed date is none. */
function isDay(text: string): boolean {
  return DATE.test(text) && !Number.isNaN(Date.parse(text))
}

/** The tracking that a contact allows, in words. */
function consentName(value: Condition['value'], t: Texts): string {
  const names: Readonly<Record<string, string>> = t.contacts.consents
  return names[String(value)] ?? String(value)
}
