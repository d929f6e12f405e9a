import type { FilterCondition } from '../ports/store/filters.ts'
import type { Subject } from './subject.ts'

/** The kind of value an operator takes: `part` is a text with at least one character, `span` a number and a unit. */
export type Takes =
  | 'nothing'
  | 'text'
  | 'texts'
  | 'part'
  | 'boolean'
  | 'choice'
  | 'date'
  | 'value'
  | 'values'
  | 'comparable'
  | 'span'
  | 'link'

type Operators = Readonly<Record<string, Takes>>

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
    equals: 'date',
    notEquals: 'date',
    greaterThan: 'date',
    lessThan: 'date',
    greaterThanOrEqual: 'date',
    lessThanOrEqual: 'date',
    within: 'span',
    olderThan: 'span',
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
    olderThan: 'span',
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
