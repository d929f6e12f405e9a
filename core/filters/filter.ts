/** Units of the spans of time in filters. */
export const UNITS = ['minutes', 'hours', 'days'] as const
export type Unit = (typeof UNITS)[number]

/** A filter over contacts as it is written, stored and answered (api.md, section 5). */
export interface Filter {
  readonly operator: 'AND' | 'OR'
  readonly conditions: readonly (FilterCondition | Filter)[]
}

/** One condition: `field` is `email`, `data.plan`, `event.<name>`, `segment.<id>` …; what else is there depends on it. */
export interface FilterCondition {
  readonly field: string
  readonly operator: string
  readonly value?: FilterValue
  readonly unit?: Unit
  /** Of events: at least so many times. */
  readonly count?: number
}

export type FilterValue = string | number | boolean | readonly (string | number | boolean)[]
