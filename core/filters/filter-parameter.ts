import * as v from 'valibot'
import { type Filter, type FilterCondition, type FilterInput, UNITS } from '../ports/store/filters.ts'
import { describedBy, named } from '../values/described.ts'
import { takes } from '../values/input.ts'
import { readElsewhere } from '../values/unknown-keys.ts'
import { FilterKeys } from './filter-keys.ts'
import { OPERATOR_NAMES } from './operators.ts'

const Value = v.union([v.string(), v.number(), v.boolean()])

/** One condition of a filter. */
export const ConditionRecord = named(
  'FilterCondition',
  v.object({
    field: v.string(),
    operator: v.picklist(OPERATOR_NAMES),
    value: v.exactOptional(v.union([Value, v.array(Value)])),
    unit: v.exactOptional(v.picklist(UNITS)),
    count: v.exactOptional(v.pipe(v.number(), v.integer())),
  }),
) as v.GenericSchema<FilterCondition>

const JOINED_BY = v.picklist(['AND', 'OR'])

/** A filter as records have it, for descriptions: `readFilter` reads filters. */
export const FilterRecord: v.GenericSchema<Filter> = named(
  'Filter',
  v.object({
    operator: JOINED_BY,
    conditions: v.array(v.union([ConditionRecord, v.lazy(() => FilterRecord)])),
  }),
)

const FilterGroups = named(
  'FilterGroups',
  v.object({
    logic: JOINED_BY,
    groups: v.array(
      v.object({
        filters: v.array(ConditionRecord),
        conditions: v.optional(v.lazy((): v.GenericSchema => FilterInEitherForm)),
      }),
    ),
  }),
)

/** A filter as it may be written. */
export const FilterInEitherForm = v.union([FilterRecord, FilterGroups])

/** A filter in a body, in either form; `readFilter` reads it. */
export const FilterParameter = describedBy(
  readElsewhere(takes<FilterInput>()(v.unknown()), FilterKeys),
  FilterInEitherForm,
)
