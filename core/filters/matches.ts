import type { Audience, Comparison, EmailTest, Part, Span, ValueTest } from '../ports/store/audiences.ts'
import type { Contact } from '../ports/store/contacts.ts'
import { instantOf } from '../values/iso-date.ts'
import { isJsonObject, type Json, type JsonObject } from '../values/json.ts'

/** The contact to check, with what is known beside its own record. */
export interface AudienceSubject {
  readonly contact: Pick<Contact, 'email' | 'subscribed' | 'tracking' | 'data' | 'createdAt' | 'updatedAt'>
  /** How many events of this name it has in the span. */
  eventsIn(name: string, span: Span): number
  /** Whether it is a member of this static segment. */
  memberOf(segmentId: string): boolean
}

/** Whether the contact belongs to the audience; stores must answer the same. */
export function matches(audience: Audience, subject: AudienceSubject): boolean {
  const { contact } = subject
  switch (audience.kind) {
    case 'all':
      return audience.of.every((each) => matches(each, subject))
    case 'any':
      return audience.of.some((each) => matches(each, subject))
    case 'not':
      return !matches(audience.of, subject)
    case 'email':
      return matchesEmail(audience, contact.email)
    case 'subscribed':
      return contact.subscribed === audience.is
    case 'tracking':
      return contact.tracking === audience.is
    case 'moment':
      return isIn(audience, contact[audience.field])
    case 'data':
      return matchesValue(audience.test, valueAt(contact.data, audience.path))
    case 'event':
      return subject.eventsIn(audience.name, audience) >= audience.count
    case 'member':
      return subject.memberOf(audience.segmentId)
  }
}

/** Whether the time lies in the span. */
export function isIn({ from, before }: Span, moment: Date): boolean {
  return (from === undefined || moment >= from) && (before === undefined || moment < before)
}

function matchesEmail(test: EmailTest, email: string): boolean {
  return test.is === 'oneOf' ? test.values.includes(email) : hasPart(test, email)
}

/** The value at the path; only own keys of objects count. */
function valueAt(data: JsonObject, path: readonly string[]): Json | undefined {
  let value: Json | undefined = data
  for (const key of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return undefined
    value = value[key]
  }
  return value
}

function matchesValue(test: ValueTest, value: Json | undefined): boolean {
  switch (test.is) {
    case 'present':
      return value !== undefined && value !== null
    case 'oneOf':
      return test.values.some((each) => each === value)
    case 'text':
      if (typeof value !== 'string') return false
      return isPart(test) ? hasPart(test, value) : compares(test.how, order(value, test.text))
    case 'number':
      return typeof value === 'number' && compares(test.how, value - test.number)
    case 'moment': {
      const moment = typeof value === 'string' ? instantOf(value) : undefined
      return moment !== undefined && isIn(test, moment)
    }
  }
}

function isPart(test: Extract<ValueTest, { is: 'text' }>): test is Part {
  return test.how === 'contains' || test.how === 'startsWith' || test.how === 'endsWith'
}

function hasPart({ how, text }: Part, value: string): boolean {
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
