import { Segment } from '../../../../core/ports/store/segments.ts'
import { entityOf } from '../engine/entity-of.ts'

/** Segments, one per row. */
export const SegmentRow = entityOf(Segment, {
  name: 'SegmentRow',
  tableName: 'segments',
  indexes: [
    { name: 'segments_page', properties: ['projectId', 'id'] },
    { name: 'segments_begun', properties: ['begunAt'] },
  ],
  uniques: [{ name: 'segments_slug', properties: ['projectId', 'slug'] }],
})
