import * as v from 'valibot'
import { FilterRecord } from '../../core/filters/filter-parameter.ts'
import { SEGMENT_TYPES } from '../../core/ports/store/segments.ts'
import { named } from '../../core/values/described.ts'
import { ContactRecord } from './contacts.ts'
import { Count, CURSOR, Fields, Id, many, Time, Warnings } from './parts.ts'

export const SegmentRecord = named(
  'Segment',
  v.object({
    id: Id,
    name: v.string(),
    slug: v.string(),
    description: v.optional(v.string()),
    type: v.picklist(SEGMENT_TYPES),
    filters: v.optional(FilterRecord),
    // in the form it was written in
    condition: v.optional(v.union([FilterRecord, Fields])),
    warnings: v.optional(Warnings),
    trackMembership: v.boolean(),
    memberCount: Count,
    countedAt: v.optional(Time),
    computedAt: v.optional(Time),
    version: Count,
    problem: v.optional(v.string()),
    createdAt: Time,
    updatedAt: Time,
  }),
)

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

export const SegmentsOfContact = named(
  'SegmentsOfContact',
  v.object({
    data: many(
      v.object({
        id: Id,
        name: v.string(),
        type: v.picklist(SEGMENT_TYPES),
        trackMembership: v.boolean(),
        since: v.nullable(Time),
      }),
    ),
    unchecked: many(v.object({ id: Id, name: v.string() })),
  }),
)
