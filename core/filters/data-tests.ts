import type { Comparison, Part, Span, ValueTest, YearlyTest } from '../ports/store/audiences.ts'
import { dayOfYearIn, momentIn } from '../values/iso-date.ts'
import { isJsonObject, type Json, type JsonObject } from '../values/json.ts'

/**
 * Whether the data meets a test on the value at this path (see DataTest). It is the rule that stores keep, for those
 * whose database cannot look into lists by itself.
 */
export function meets(data: JsonObject, path: readonly string[], test: ValueTest): boolean {
  const values = valuesAt(data, path)
  if (test.is === 'present') return values.some((value) => value !== null)
  if (test.is === 'filled') return values.some(isFilled)
  return values.some((value) => (Array.isArray(value) ? value.some((each) => holds(test, each)) : holds(test, value)))
}

/** Whether the time lies in the span. */
export function isIn({ from, before }: Span, moment: Date | undefined): boolean {
  return moment !== undefined && (from === undefined || moment >= from) && (before === undefined || moment < before)
}

/** Whether the value is a date whose day of the year is one of those. */
export function isInYear({ first, last }: Pick<YearlyTest, 'first' | 'last'>, value: unknown): boolean {
  const day = dayOfYearIn(value)
  if (day === undefined) return false
  return first <= last ? first <= day && day <= last : first <= day || day <= last
}

/** The values at the path: several when it leads through a list. Only own keys of objects count. */
export function valuesAt(data: JsonObject, path: readonly string[]): readonly Json[] {
  let values: readonly Json[] = [data]
  for (const key of path) values = values.flatMap((value) => under(value, key))
  return values
}

/** The values under a key; in a list a number is a place, and any other key stands for that of each object in it. */
function under(value: Json, key: string): readonly Json[] {
  if (isJsonObject(value)) return own(value, key)
  if (!isList(value)) return []
  if (!PLACE.test(key)) return value.flatMap((each) => (isJsonObject(each) ? own(each, key) : []))
  const element = value[Number(key)]
  return element === undefined ? [] : [element]
}

/** A place in a list, counted from 0. */
export const PLACE = /^(?:0|[1-9]\d{0,8})$/

function own(object: JsonObject, key: string): readonly Json[] {
  const value = Object.hasOwn(object, key) ? object[key] : undefined
  return value === undefined ? [] : [value]
}

export function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

function isFilled(value: Json): boolean {
  return value !== null && value !== '' && !(isList(value) && value.length === 0)
}

/** Whether a single value meets the test. */
function holds(test: Exclude<ValueTest, { is: 'present' | 'filled' }>, value: Json): boolean {
  switch (test.is) {
    case 'oneOf':
      return test.values.some((each) => each === value)
    case 'text':
      if (typeof value !== 'string') return false
      return isPart(test) ? hasPart(test, value) : compares(test.how, order(value, test.text))
    case 'number': {
      const number = typeof value === 'string' ? numberIn(value) : value
      return typeof number === 'number' && compares(test.how, number - test.number)
    }
    case 'moment': {
      const moment = momentIn(value)
      return moment !== undefined && isIn(test, moment)
    }
    case 'yearly':
      return isInYear(test, value)
  }
}

/**
 * The number that a text is, in digits and a point; undefined for any other text. Imports keep columns text in which
 * one cell is no plain number, and a price is more than 10 all the same.
 */
export function numberIn(text: string): number | undefined {
  return NUMERAL.test(text) ? Number(text) : undefined
}

const NUMERAL = /^-?[0-9]{1,15}(?:[.][0-9]{1,15})?$/

function isPart(test: Extract<ValueTest, { is: 'text' }>): test is Part {
  return test.how === 'contains' || test.how === 'startsWith' || test.how === 'endsWith'
}

/** Whether the text contains the part, or begins or ends with it. */
export function hasPart({ how, text }: Part, value: string): boolean {
  switch (how) {
    case 'contains':
      return value.includes(text)
    case 'startsWith':
      return value.startsWith(text)
    case 'endsWith':
      return value.endsWith(text)
  }
}

/** `order` is negative, zero or positive as the value is less than, equal to or greater than the other. */
function compares(how: Comparison, order: number): boolean {
  switch (how) {
    case 'greaterThan':
      return order > 0
    case 'lessThan':
      return order < 0
    case 'greaterThanOrEqual':
      return order >= 0
    case 'lessThanOrEqual':
      return order <= 0
  }
}

/** Compares by code points: UTF-16 units would put emoji before the last characters of the basic plane. */
function order(a: string, b: string): number {
  const [ours, theirs] = [a[Symbol.iterator](), b[Symbol.iterator]()]
  for (;;) {
    const [one, other] = [ours.next(), theirs.next()]
    if (one.done || other.done) return Number(other.done === true) - Number(one.done === true)
    const difference = (one.value.codePointAt(0) ?? 0) - (other.value.codePointAt(0) ?? 0)
    if (difference !== 0) return difference
  }
}
