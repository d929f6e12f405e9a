import type { Segment } from '../ports/store/segments.ts'
import { slugOf } from '../values/slug.ts'
import { FILTER_EDITION } from './changed-meaning.ts'
import type { WrittenFilter } from './read-filter.ts'
import { sameFilter } from './same-filter.ts'

/** The changes to a segment; undefined leaves a field, a null description is removed. */
export interface SegmentChange {
  readonly name?: string | undefined
  readonly description?: string | null | undefined
  readonly trackMembership?: boolean | undefined
  /** With the number of contacts that match it. */
  readonly filter?: (WrittenFilter & { readonly memberCount: number }) | undefined
}

/**
 * The segment after the change. With a new filter, or when tracking begins, the last computation is void: the next one
 * compares all contacts.
 */
export function changedSegment(before: Segment, change: SegmentChange, now: Date): Segment {
  const { name = before.name, trackMembership = before.trackMembership } = change
  // a segment that was changed is tried again
  const { description, computedAt, fullyComputedAt, condition: earlier, problem: _, ...rest } = before
  const condition = change.filter ? change.filter.condition : earlier
  const newDescription = change.description === undefined ? description : (change.description ?? undefined)
  const another = change.filter && !sameFilter(change.filter.filter, before.filter)
  const anew = another || (trackMembership && !before.trackMembership)
  return {
    ...rest,
    name,
    slug: slugOf(name),
    trackMembership,
    updatedAt: now,
    ...(newDescription === undefined ? {} : { description: newDescription }),
    ...(change.filter && another ? { ...change.filter, countedAt: now } : {}),
    ...(condition === undefined ? {} : { condition }),
    ...(change.filter ? { filterEdition: FILTER_EDITION } : {}),
    ...(anew || computedAt === undefined ? {} : { computedAt }),
    ...(anew || fullyComputedAt === undefined ? {} : { fullyComputedAt }),
    ...(before.begunAt === undefined ? {} : { begunAt: now }),
  }
}
