import * as v from 'valibot'
import { FilterRecord } from '../../core/filters/filter-parameter.ts'
import { Segment } from '../../core/ports/store/segments.ts'
import { changedMeanings } from '../../core/segments/changed-meaning.ts'
import type { ContactSegments } from '../../core/segments/segments-of-contact.ts'
import { named } from '../../core/values/described.ts'
import { answer, answerOf } from './answer.ts'
import { ContactAnswer } from './contacts.ts'
import { CURSOR } from './lists.ts'
import { Count, Fields, Id, many, Time, Warnings } from './parts.ts'

/** The filter is under both of its names, `condition` in the form it was written in; a static segment has none. */
export const SegmentAnswer = answerOf(
  Segment,
  {
    filters: v.optional(FilterRecord),
    condition: v.optional(v.union([FilterRecord, Fields])),
    warnings: v.optional(Warnings),
  },
  (segment: Segment) => {
    const { filter: filters, condition = filters } = segment
    const warnings = changedMeanings(segment)
    return { ...segment, filters, condition, warnings: warnings.length > 0 ? warnings : undefined }
  },
)

export const SegmentContacts = named(
  'SegmentContacts',
  v.object({
    data: many(ContactAnswer.schema),
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

export const SegmentsOfContact = answer(
  'SegmentsOfContact',
  {
    data: many(v.object({ id, name, type, trackMembership, since: v.nullable(Time) })),
    unchecked: many(v.object({ id, name })),
  },
  ({ members, unchecked }: ContactSegments) => ({
    data: members.map(({ segment: { id, name, type, trackMembership }, since = null }) => {
      return { id, name, type, trackMembership, since }
    }),
    unchecked: unchecked.map(({ id, name }) => ({ id, name })),
  }),
)
