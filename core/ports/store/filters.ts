/** Units of the spans of time in filters. */
export const UNITS = ['minutes', 'hours', 'days'] as const
export type Unit = (typeof UNITS)[number]

/** A filter over contacts as written, stored and answered. */
export interface Filter {
  /** Whether all must hold (`AND`) or one is enough (`OR`). */
  readonly operator: 'AND' | 'OR'
  /** Conditions and further filters; at most 50 conditions in all. */
  readonly conditions: readonly (FilterCondition | Filter)[]
}

/** A filter in either form, also nested. */
export type FilterInput = ConditionsInput | GroupsInput

/** Conditions and nested filters, of which all (`AND`) or one (`OR`) must hold. */
export interface ConditionsInput {
  /** Whether all must hold or one is enough. */
  readonly operator: 'AND' | 'OR'
  /** Conditions and further filters; at most 50 conditions in all. */
  readonly conditions: readonly (FilterCondition | FilterInput)[]
}

/** The same in groups: all conditions in a group must hold, the groups are joined by the logic. */
export interface GroupsInput {
  /** Whether all groups must hold or one is enough. */
  readonly logic: 'AND' | 'OR'
  /** At least one. */
  readonly groups: readonly {
    /** The conditions of the group, all of which must hold. */
    readonly filters: readonly FilterCondition[]
    /** A filter that must hold as well. */
    readonly conditions?: FilterInput
  }[]
}

/** The fields of any condition. */
interface Condition<Field extends string, Operator extends string> {
  /**
   * The field to compare: `email`, `subscribed`, `tracking`, `pausedUntil`, `everyDays`, `createdAt`, `updatedAt`,
   * `data.plan`, `topic.<slug>`, `event.<name>`, `email.<activity>`, `segment.<id>`, `campaign.<id>`. Any other text is a
   * key of the data.
   */
  readonly field: Field
  /** The comparison. Which of them a field has depends on its kind (docs/filters.md). */
  readonly operator: Operator
}

interface ConditionOnEqual extends Condition<string, 'equals' | 'notEquals'> {
  /** A text, a number, true or false; for times an ISO 8601 date. */
  readonly value: string | number | boolean
}

interface ConditionOnPart extends Condition<string, 'contains' | 'notContains' | 'startsWith' | 'endsWith'> {
  /** 1 to 1,000 characters. */
  readonly value: string
}

interface ConditionOnList extends Condition<string, 'in' | 'notIn'> {
  /** 1 to 500 values. */
  readonly value: readonly (string | number | boolean)[]
}

interface ConditionOnOrder
  extends Condition<string, 'greaterThan' | 'lessThan' | 'greaterThanOrEqual' | 'lessThanOrEqual'> {
  /** A number or a text; for times an ISO 8601 date. */
  readonly value: string | number
}

interface ConditionOnPresence extends Condition<string, 'exists' | 'notExists'> {}

interface OverSpan {
  /** How many units until now, with `withinNext` from now on: more than 0. */
  readonly value: number
  /** The unit of the value. */
  readonly unit: Unit
}

interface ConditionOnSpan extends Condition<string, 'within' | 'withinNext' | 'olderThan'>, OverSpan {}

interface ConditionOnYear extends Condition<string, 'yearlyWithinNext'> {
  /** How many days ahead the day of the year may be, in the time zone of the project: 0 is today; up to 365. */
  readonly value: number
}

/** A field of events: of those that you track, and of what mails meet. */
type EventField = `event.${string}` | `email.${string}` | `contact.event.${string}`

interface Counted {
  /** The least number of times: 1 to 1,000,000, by default 1. */
  readonly count?: number
}

interface ConditionOnEvent extends Condition<EventField, 'triggered' | 'notTriggered'>, Counted {}

interface ConditionOnEventSpan
  extends Condition<EventField, 'triggeredWithin' | 'notTriggeredWithin' | 'triggeredOlderThan'>,
    OverSpan,
    Counted {}

interface ConditionOnSegment
  extends Condition<`${'' | 'contact.'}segment.${string}`, 'memberOfSegment' | 'notMemberOfSegment'> {}

type CampaignField = `${'' | 'contact.'}campaign.${string}`
type Deed = 'received' | 'opened' | 'clicked' | 'humanOpened' | 'humanClicked' | 'bounced' | 'failed' | 'mailed'

/** A condition on what contacts did with a campaign. */
export interface ConditionOnCampaign extends Condition<CampaignField, Deed | `not${Capitalize<Deed>}`> {}

interface ConditionOnLink extends Condition<CampaignField, 'clickedLink' | 'notClickedLink'> {
  /** The link as it is in the mail: 1 to 2,000 characters. */
  readonly value: string
}

/**
 * One condition. The operator decides which value and unit there are; events, segments and campaigns have operators of
 * their own.
 */
export type FilterCondition =
  | ConditionOnEqual
  | ConditionOnPart
  | ConditionOnList
  | ConditionOnOrder
  | ConditionOnPresence
  | ConditionOnSpan
  | ConditionOnYear
  | ConditionOnEvent
  | ConditionOnEventSpan
  | ConditionOnSegment
  | ConditionOnCampaign
  | ConditionOnLink

/** The same for whatever looks at each part by itself: any condition is one of these. */
export interface AnyCondition extends Condition<string, string> {
  /** The value to compare with; a number for spans of time. */
  readonly value?: FilterValue
  /** The unit of a span of time. */
  readonly unit?: Unit
  /** For events: the least number of times. */
  readonly count?: number
}

/** The value of any condition. */
export type FilterValue = string | number | boolean | readonly (string | number | boolean)[]
