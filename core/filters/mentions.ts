import type { Filter, FilterCondition } from '../ports/store/filters.ts'
import { MAX_NESTING, subjectOf } from './subject.ts'

/** The things that a filter refers to; without them its meaning changes. */
export interface Mentions {
  /** Keys of data, the first of each path: `address` for `data.address.city`, and `address.city`, which is a key too. */
  readonly fields: ReadonlySet<string>
  /** Names of events; an activity of mail is the event `email.<activity>`. */
  readonly events: ReadonlySet<string>
  /** Ids of segments that the filter itself names. */
  readonly segments: ReadonlySet<string>
  /** Slugs or ids of topics. */
  readonly topics: ReadonlySet<string>
}

/** Collects what a filter refers to. It was read before by `readFilter`; unknown conditions refer to nothing. */
export function mentionsOf(filter: Filter): Mentions {
  const fields = new Set<string>()
  const events = new Set<string>()
  const segments = new Set<string>()
  const topics = new Set<string>()
  for (const { field } of conditionsOf(filter)) {
    const subject = subjectOf(field)
    if (subject?.kind === 'data') for (const [key] of subject.paths) if (key !== undefined) fields.add(key)
    if (subject?.kind === 'event') events.add(subject.name)
    if (subject?.kind === 'segment') segments.add(subject.id)
    if (subject?.kind === 'topic') topics.add(subject.name)
  }
  return { fields, events, segments, topics }
}

/** Every condition of a filter and of its nested filters, in written order. */
export function* conditionsOf(filter: Filter, depth = 1): Generator<FilterCondition> {
  if (depth > MAX_NESTING) return
  for (const condition of filter.conditions) {
    if ('conditions' in condition) yield* conditionsOf(condition, depth + 1)
    else yield condition
  }
}
