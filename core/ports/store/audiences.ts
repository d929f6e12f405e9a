import type { TrackingConsent } from '../../values/tracking-consent.ts'

/**
 * A compiled filter: time spans are fixed dates, segments are expanded, every value has one type. A store compiles it
 * to its query language, `matches` checks it in memory; the results must be the same. Every test is true or false,
 * never unknown: a missing value or one of another type does not match.
 */
export type Audience =
  | { readonly kind: 'all'; readonly of: readonly Audience[] }
  | { readonly kind: 'any'; readonly of: readonly Audience[] }
  | { readonly kind: 'not'; readonly of: Audience }
  | EmailTest
  | SubscribedTest
  | TrackingTest
  | MomentTest
  | DataTest
  | EventTest
  | MemberTest

/** Tests the address: equal to one of these texts, or compared with one; all are in lower case, as addresses are. */
export type EmailTest = { readonly kind: 'email' } & (OneOf<string> | Part)

export interface SubscribedTest {
  readonly kind: 'subscribed'
  readonly is: boolean
}

/** Tests the consent to tracking. */
export interface TrackingTest {
  readonly kind: 'tracking'
  readonly is: TrackingConsent
}

/** From `from` on and before `before`; a missing bound is open. */
export interface Span {
  readonly from?: Date
  readonly before?: Date
}

export interface MomentTest extends Span {
  readonly kind: 'moment'
  readonly field: 'createdAt' | 'updatedAt'
}

/**
 * Tests the value at a path of keys in the contact's data. The path leads through objects only, never into an array.
 */
export interface DataTest {
  readonly kind: 'data'
  readonly path: readonly string[]
  readonly test: ValueTest
}

export type ValueTest =
  /** Present and not null. */
  | { readonly is: 'present' }
  /** One of these, and of the same type: `1` is neither `'1'` nor `true`. */
  | OneOf<string | number | boolean>
  | Part
  /** A text that is ordered before or after this one by code points. */
  | { readonly is: 'text'; readonly how: Comparison; readonly text: string }
  | { readonly is: 'number'; readonly how: Comparison; readonly number: number }
  /** A text that is an ISO 8601 date (a bare date is the beginning of that day in UTC) within the span. */
  | ({ readonly is: 'moment' } & Span)

export interface OneOf<Value> {
  readonly is: 'oneOf'
  readonly values: readonly Value[]
}

/** A text that contains this one, or begins or ends with it, literally. */
export interface Part {
  readonly is: 'text'
  readonly how: 'contains' | 'startsWith' | 'endsWith'
  readonly text: string
}

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
