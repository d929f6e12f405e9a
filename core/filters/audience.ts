/**
 * A filter made ready to be asked: spans of time are moments, segments are spelled out, every value has one kind. A
 * store compiles it to its query language, `matches` asks it in memory; all of them answer alike. Every test is true
 * or false, never unknown: what is missing or of another kind does not match.
 */
export type Audience =
  | { readonly kind: 'all'; readonly of: readonly Audience[] }
  | { readonly kind: 'any'; readonly of: readonly Audience[] }
  | { readonly kind: 'not'; readonly of: Audience }
  | EmailTest
  | SubscribedTest
  | MomentTest
  | DataTest
  | EventTest
  | MemberTest

/** On the address; `text` is in lower case, as addresses are. */
export interface EmailTest {
  readonly kind: 'email'
  readonly how: TextTest
  readonly text: string
}

export interface SubscribedTest {
  readonly kind: 'subscribed'
  readonly is: boolean
}

/** From `from` on and before `before`; a bound that is missing is none. */
export interface Span {
  readonly from?: Date
  readonly before?: Date
}

export interface MomentTest extends Span {
  readonly kind: 'moment'
  readonly field: 'createdAt' | 'updatedAt'
}

/** On the value a path of keys leads to in the contact's data. */
export interface DataTest {
  readonly kind: 'data'
  readonly path: readonly string[]
  readonly test: ValueTest
}

export type ValueTest =
  /** There and not null. */
  | { readonly is: 'present' }
  /** A text; texts are compared by their code points. */
  | { readonly is: 'text'; readonly how: TextTest | Comparison; readonly text: string }
  | { readonly is: 'number'; readonly how: 'equals' | Comparison; readonly number: number }
  | { readonly is: 'boolean'; readonly value: boolean }
  /** A text that is an ISO 8601 date (a bare one is the beginning of that day in UTC) within the span. */
  | ({ readonly is: 'moment' } & Span)

export type TextTest = 'equals' | 'contains' | 'startsWith' | 'endsWith'
export type Comparison = 'greaterThan' | 'lessThan' | 'greaterThanOrEqual' | 'lessThanOrEqual'

/** At least `count` events of this name in the span. Activities of mail are events too (`email.open`). */
export interface EventTest extends Span {
  readonly kind: 'event'
  readonly name: string
  readonly count: number
}

/** A member of a static segment. */
export interface MemberTest {
  readonly kind: 'member'
  readonly segmentId: string
}
