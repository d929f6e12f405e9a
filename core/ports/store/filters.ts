/** Units of the spans of time in filters. */
export const UNITS = ['minutes', 'hours', 'days'] as const
export type Unit = (typeof UNITS)[number]

/** A filter over contacts as written, stored and answered. */
export interface Filter {
  readonly operator: 'AND' | 'OR'
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

/**
 * One condition: `field` is `email`, `data.plan`, `event.<name>`, `segment.<id>`, `campaign.<id>` …; the other fields
 * depend on it.
 */
export interface FilterCondition {
  /**
   * The field to compare: `email`, `subscribed`, `tracking`, `createdAt`, `data.plan`, `event.<name>`, `segment.<id>`,
   * `campaign.<id>`.
   */
  readonly field: string
  /**
   * The comparison: `equals`, `contains`, `greaterThan`, `exists`, `within`, `triggered`, `memberOfSegment`,
   * `notOpened` …
   */
  readonly operator: string
  /** The value to compare with; a number for spans of time. */
  readonly value?: FilterValue
  /** The unit of a span of time. */
  readonly unit?: Unit
  /** For events: the least number of times. */
  readonly count?: number
}

export type FilterValue = string | number | boolean | readonly (string | number | boolean)[]
