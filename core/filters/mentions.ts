import type { Filter, FilterCondition } from '../ports/store/filters.ts'
import { MAX_NESTING, subjectOf } from './subject.ts'

/** What of a project a filter asks for: without these things it means something else. */
export interface Mentions {
  /** Keys of data, the first of each path: `address` for `data.address.city`. */
  readonly fields: ReadonlySet<string>
  /** Names of events; an activity of mail is the event `email.<activity>`. */
  readonly events: ReadonlySet<string>
  /** Ids of segments, those named in the filter itself. */
  readonly segments: ReadonlySet<string>
}

/** Says what a filter mentions. It has been read before, by `readFilter`; conditions nobody knows mention nothing. */
export function mentionsOf(filter: Filter): Mentions {
  const fields = new Set<string>()
  const events = new Set<string>()
  const segments = new Set<string>()
  for (const { field } of conditionsOf(filter)) {
    const subject = subjectOf(field)
    if (subject?.kind === 'data' && subject.path[0] !== undefined) fields.add(subject.path[0])
    if (subject?.kind === 'event') events.add(subject.name)
    if (subject?.kind === 'segment') segments.add(subject.id)
  }
  return { fields, events, segments }
}

/** Every condition of a filter, those of the filters in it too, in the order they are written. */
export function* conditionsOf(filter: Filter, depth = 1): Generator<FilterCondition> {
  if (depth > MAX_NESTING) return
  for (const condition of filter.conditions) {
    if ('conditions' in condition) yield* conditionsOf(condition, depth + 1)
    else yield condition
  }
}
