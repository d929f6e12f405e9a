import type { FieldOf } from '../../values/fields-of-contact.ts'

/**
 * A compiled filter: time spans are fixed dates, segments are expanded, and every value has one type. A store
 * translates it to its query language, and `matches` checks it in memory; the results must be the same. Every test is
 * true or false, never unknown: a missing value, or one of another type, does not match.
 */
export type Audience =
  | { readonly kind: 'all'; readonly of: readonly Audience[] }
  | { readonly kind: 'any'; readonly of: readonly Audience[] }
  | { readonly kind: 'not'; readonly of: Audience }
  | TextTest
  | FlagTest
  | ChoiceTest
  | MomentTest
  | NumberTest
  | DataTest
  | EventTest
  | MemberTest
  | CampaignTest
  | TopicTest

/** Tests a text of the contact, such as its address: equal to one of these, or compared with one. Addresses are in lower case. */
export type TextTest = { readonly kind: 'text'; readonly field: FieldOf<'text'> } & (OneOf<string> | Part)

/** Tests whether something holds for the contact: `subscribed`. */
export interface FlagTest {
  readonly kind: 'flag'
  readonly field: FieldOf<'flag'>
  readonly is: boolean
}

/** Tests which of a few values a field of the contact has: `tracking`. */
export interface ChoiceTest {
  readonly kind: 'choice'
  readonly field: FieldOf<'choice'>
  readonly is: string
}

/** From `from` on and before `before`; a missing bound is open. */
export interface Span {
  readonly from?: Date
  readonly before?: Date
}

/** Tests a time of the contact. Without bounds: whether it has one. */
export interface MomentTest extends Span {
  readonly kind: 'moment'
  readonly field: FieldOf<'moment' | 'date'>
}

/** Tests a whole number of the contact: at least and at most these. Without bounds: whether it has one. */
export interface NumberTest {
  /** The kind of the test. */
  readonly kind: 'number'
  /** The field. */
  readonly field: FieldOf<'number'>
  /** The least number that matches. */
  readonly least?: number
  /** The greatest that does. */
  readonly most?: number
}

/**
 * Tests the values at a path of keys in the contact's data; it holds when it holds for one of them. The elements of a
 * list are tested, but not those of lists within it; only `present` and `filled` test the list itself. Along the path a key leads
 * into an object, a number to that place of a list, and any other key into each object of a list.
 */
export interface DataTest {
  readonly kind: 'data'
  readonly path: readonly string[]
  readonly test: ValueTest
}

export type ValueTest =
  /** Present and not null. */
  | { readonly is: 'present' }
  /** Present, and neither null, an empty text nor an empty list. */
  | { readonly is: 'filled' }
  /** One of these, and of the same type: `1` is neither `'1'` nor `true`. */
  | OneOf<string | number | boolean>
  | Part
  /** A text that is ordered before or after this one by code points. */
  | { readonly is: 'text'; readonly how: Comparison; readonly text: string }
  /** A number before or after this one, or a text that is one: at most 15 digits, and as many after a point. */
  | { readonly is: 'number'; readonly how: Comparison; readonly number: number }
  /**
   * A time within the span: a text that is an ISO 8601 date (a bare date is the beginning of that day in UTC), or Unix
   * time, see `momentIn`.
   */
  | ({ readonly is: 'moment' } & Span)
  | YearlyTest

/**
 * A date whose day is on or between these two days of the year (`12-24`), both included; `first` after `last` leads over
 * the end of the year. The day of a text is the one that it is written with, that of Unix time is in UTC.
 */
export interface YearlyTest {
  /** The kind of the test. */
  readonly is: 'yearly'
  /** The first day that matches. */
  readonly first: string
  /** The last one. */
  readonly last: string
}

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

/** Contacts who chose the topic (`is`), or left it. Those who never chose are in neither. */
export interface TopicTest {
  readonly kind: 'topic'
  readonly topicId: string
  readonly is: boolean
}

/** Tests what became of the contact's mail of a campaign. */
export type CampaignTest = {
  readonly kind: 'campaign'
  readonly campaignId: string
} & (
  | { readonly did: CampaignDeed }
  /** A person followed this link, as it was in the mail. */
  | { readonly did: 'follow'; readonly link: string }
)

/**
 * Things that may have become of a campaign's mail.
 * - `receive`: it was handed over and did not bounce. The next four are asked of such mails, as far as it may be recorded.
 * - `open`, `click`: it was opened, or a link in it was followed. Following a link counts as opening.
 * - `humanOpen`, `humanClick`: the same by a person; what programs did on their own does not count.
 * - `bounce`: it bounced. `fail`: every try to send it failed.
 * - `mail`: there is one, in whatever state, but for those that were left out.
 */
export type CampaignDeed = 'receive' | 'open' | 'click' | 'humanOpen' | 'humanClick' | 'bounce' | 'fail' | 'mail'
