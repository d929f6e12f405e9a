import * as v from 'valibot'
import { zoneless } from '../values/iso-date.ts'
import { isJsonObject } from '../values/json.ts'
import { oddWhen } from '../values/unknown-keys.ts'
import { takenBy } from './operators.ts'
import { isPlunks } from './read-filter.ts'
import { subjectOf } from './subject.ts'

// The keys that filters have, so that unknown ones can be reported. `readFilter` checks their values.

const condition = (value: v.GenericSchema) =>
  v.object({ field: v.unknown(), operator: v.unknown(), value, unit: v.unknown(), count: v.unknown() })

const OfAnything = condition(v.unknown())
const OfTime = condition(v.pipe(v.unknown(), oddWhen(zoneless)))

/** A value is a time where the field is one, and where it may be compared with one in the data. */
const Condition: v.LazySchema<v.GenericSchema> = v.lazy((given) => {
  if (!isJsonObject(given) || typeof given.field !== 'string') return OfAnything
  const kind = subjectOf(given.field)?.kind
  const isCompared = typeof given.operator === 'string' && takenBy('moment', given.operator) === 'date'
  return kind === 'moment' || (kind === 'data' && isCompared) ? OfTime : OfAnything
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
