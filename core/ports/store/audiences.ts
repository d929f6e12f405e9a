import type { TrackingConsent } from '../../values/tracking-consent.ts'

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
  | TrackingTest
  | MomentTest
  | DataTest
  | EventTest
  | MemberTest

/** On the address, which is one of these texts or compares with one; they are in lower case, as addresses are. */
export type EmailTest = { readonly kind: 'email' } & (OneOf<string> | Part)

export interface SubscribedTest {
  readonly kind: 'subscribed'
  readonly is: boolean
}

/** On the consent to tracking. */
export interface TrackingTest {
  readonly kind: 'tracking'
  readonly is: TrackingConsent
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

/** On the value a path of keys leads to in the contact's data. It leads through objects only, never into an array. */
export interface DataTest {
  readonly kind: 'data'
  readonly path: readonly string[]
  readonly test: ValueTest
}

export type ValueTest =
  /** There and not null. */
  | { readonly is: 'present' }
  /** One of these, and of the same kind: `1` is neither `'1'` nor `true`. */
  | OneOf<string | number | boolean>
  | Part
  /** A text that comes before or behind this one by its code points. */
  | { readonly is: 'text'; readonly how: Comparison; readonly text: string }
  | { readonly is: 'number'; readonly how: Comparison; readonly number: number }
  /** A text that is an ISO 8601 date (a bare one is the beginning of that day in UTC) within the span. */
  | ({ readonly is: 'moment' } & Span)

export interface OneOf<Value> {
  readonly is: 'oneOf'
  readonly values: readonly Value[]
}

/** A text that has this one in it, at its beginning or at its end; every character means itself. */
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
