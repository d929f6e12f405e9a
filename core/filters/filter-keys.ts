import * as v from 'valibot'
import { isJsonObject } from '../values/json.ts'
import { isPlunks } from './read-filter.ts'

// The keys that filters have, so that unknown ones can be reported. `readFilter` checks their values.

const Condition = v.object({
  field: v.unknown(),
  operator: v.unknown(),
  value: v.unknown(),
  unit: v.unknown(),
  count: v.unknown(),
})

const Normal = v.object({ operator: v.unknown(), conditions: v.array(v.lazy((given) => PartKeys.getter(given))) })

const Plunks = v.object({
  logic: v.unknown(),
  groups: v.array(v.object({ filters: v.array(Condition), conditions: v.lazy((given) => FilterKeys.getter(given)) })),
})

/** The keys of a filter in either form. */
export const FilterKeys: v.LazySchema<v.GenericSchema> = v.lazy((given) =>
  isJsonObject(given) && isPlunks(given) ? Plunks : Normal,
)

/** The keys of a filter or of a single condition. */
export const PartKeys: v.LazySchema<v.GenericSchema> = v.lazy((given) =>
  isJsonObject(given) && ('conditions' in given || isPlunks(given)) ? FilterKeys.getter(given) : Condition,
)
