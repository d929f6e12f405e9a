import type { FilterCondition } from '../ports/store/filters.ts'
import type { Subject } from './subject.ts'

/**
 * The kind of value an operator takes: `part` is a text with at least one character, `span` a number and a unit, `days` a
 * whole number of days up to a year.
 */
export type Takes =
  | 'nothing'
  | 'text'
  | 'texts'
  | 'part'
  | 'boolean'
  | 'choice'
  | 'date'
  | 'number'
  | 'value'
  | 'values'
  | 'comparable'
  | 'span'
  | 'days'
  | 'link'

type Operators = Readonly<Record<string, Takes>>

const DATES = {
  equals: 'date',
  notEquals: 'date',
  greaterThan: 'date',
  lessThan: 'date',
  greaterThanOrEqual: 'date',
  lessThanOrEqual: 'date',
} as const

/** The operators of each kind of field, and the value each takes. */
export const OPERATORS: Readonly<Record<Subject['kind'], Operators>> = {
  text: {
    equals: 'text',
    notEquals: 'text',
    contains: 'part',
    notContains: 'part',
    startsWith: 'part',
    endsWith: 'part',
    in: 'texts',
    notIn: 'texts',
  },
  flag: { equals: 'boolean', notEquals: 'boolean' },
  choice: { equals: 'choice', notEquals: 'choice' },
  moment: {
    ...DATES,
    within: 'span',
    olderThan: 'span',
  },
  date: {
    ...DATES,
    exists: 'nothing',
    notExists: 'nothing',
    within: 'span',
    withinNext: 'span',
    olderThan: 'span',
  },
  number: {
    equals: 'number',
    notEquals: 'number',
    greaterThan: 'number',
    lessThan: 'number',
    greaterThanOrEqual: 'number',
    lessThanOrEqual: 'number',
    exists: 'nothing',
    notExists: 'nothing',
  },
  data: {
    equals: 'value',
    notEquals: 'value',
    contains: 'part',
    notContains: 'part',
    startsWith: 'part',
    endsWith: 'part',
    in: 'values',
    notIn: 'values',
    greaterThan: 'comparable',
    lessThan: 'comparable',
    greaterThanOrEqual: 'comparable',
    lessThanOrEqual: 'comparable',
    exists: 'nothing',
    notExists: 'nothing',
    within: 'span',
    withinNext: 'span',
    olderThan: 'span',
    yearlyWithinNext: 'days',
  },
  event: {
    triggered: 'nothing',
    notTriggered: 'nothing',
    triggeredWithin: 'span',
    notTriggeredWithin: 'span',
    triggeredOlderThan: 'span',
  },
  topic: { equals: 'boolean', notEquals: 'boolean', exists: 'nothing', notExists: 'nothing' },
  segment: { memberOfSegment: 'nothing', notMemberOfSegment: 'nothing' },
  campaign: {
    received: 'nothing',
    notReceived: 'nothing',
    opened: 'nothing',
    notOpened: 'nothing',
    clicked: 'nothing',
    notClicked: 'nothing',
    humanOpened: 'nothing',
    notHumanOpened: 'nothing',
    humanClicked: 'nothing',
    notHumanClicked: 'nothing',
    clickedLink: 'link',
    notClickedLink: 'link',
    bounced: 'nothing',
    notBounced: 'nothing',
    failed: 'nothing',
    notFailed: 'nothing',
    mailed: 'nothing',
    notMailed: 'nothing',
  },
} satisfies Record<Subject['kind'], { readonly [Name in FilterCondition['operator']]?: Takes }>

/** The names of all operators. */
export const OPERATOR_NAMES: readonly string[] = [...new Set(Object.values(OPERATORS).flatMap(Object.keys))]

/** The kind of value the operator of such a field takes; undefined when it has no such operator. */
export function takenBy(kind: Subject['kind'], operator: string): Takes | undefined {
  return Object.hasOwn(OPERATORS[kind], operator) ? OPERATORS[kind][operator] : undefined
}

/** Whether the row of a contact has what fields of this kind ask for; of the others things change that the row does not show. */
const IN_ROW: Readonly<Record<Subject['kind'], boolean>> = {
  text: true,
  flag: true,
  choice: true,
  moment: true,
  date: true,
  number: true,
  data: true,
  event: false,
  topic: false,
  segment: false,
  campaign: false,
}

/** Whether operators with such a value count from now, so that the answer changes as time goes by. */
const MOVES: Readonly<Record<Takes, boolean>> = {
  nothing: false,
  text: false,
  texts: false,
  part: false,
  boolean: false,
  choice: false,
  date: false,
  number: false,
  value: false,
  values: false,
  comparable: false,
  span: true,
  days: true,
  link: false,
}

/** Whether a condition's answer is the same until the row of the contact changes. */
export function isSteadyCondition(kind: Subject['kind'], operator: string): boolean {
  const takes = takenBy(kind, operator)
  return IN_ROW[kind] && takes !== undefined && !MOVES[takes]
}
