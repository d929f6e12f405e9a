import * as v from 'valibot'
import { FilterRecord } from '../../core/filters/filter-parameter.ts'
import { Segment } from '../../core/ports/store/segments.ts'
import { changedMeanings } from '../../core/segments/changed-meaning.ts'
import { named } from '../../core/values/described.ts'
import { ContactRecord } from '../schemas/contacts.ts'
import { Count, CURSOR, Fields, Id, many, Time, Warnings } from '../schemas/parts.ts'
import { answerOf } from './answer-of.ts'

export const SegmentAnswer = answerOf(Segment, {
  filters: v.optional(FilterRecord),
  condition: v.optional(v.union([FilterRecord, Fields])),
  warnings: v.optional(Warnings),
})

/** The filter is under both of its names, `condition` in the form it was written in; a static segment has none. */
export function segmentOnWire(segment: Segment) {
  const { filter: filters, condition = filters } = segment
  const warnings = changedMeanings(segment)
  return SegmentAnswer.of(segment, { filters, condition, ...(warnings.length > 0 ? { warnings } : {}) })
}

export const SegmentContacts = named(
  'SegmentContacts',
  v.object({
    data: many(ContactRecord),
    total: Count,
    page: Count,
    pageSize: Count,
    totalPages: Count,
    ...CURSOR,
  }),
)

export const AddedMembers = named(
  'AddedMembers',
  v.object({
    added: Count,
    addedIds: many(Id),
    alreadyMembers: Count,
    created: Count,
    notFound: many(v.string()),
  }),
)

export const RemovedMembers = named('RemovedMembers', v.object({ removed: Count, removedIds: many(Id) }))

const computed = { added: Count, removed: Count, total: Count }

export const ComputedSegment = named('ComputedSegment', v.object(computed))
export const ComputingSegment = named('ComputingSegment', v.object({ ...computed, message: v.string() }))
export const MemberCount = named('MemberCount', v.object({ memberCount: Count }))

const { id, name, type, trackMembership } = SegmentAnswer.schema.entries

export const SegmentsOfContact = named(
  'SegmentsOfContact',
  v.object({
    data: many(v.object({ id, name, type, trackMembership, since: v.nullable(Time) })),
    unchecked: many(v.object({ id, name })),
  }),
)
