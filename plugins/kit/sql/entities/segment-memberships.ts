import { defineEntity, p } from '@mikro-orm/core'
import type { ProjectId } from '../../../../core/values/project-id.ts'

/** Memberships of contacts in segments, one per row. Those that have not ended are the members. */
export const SegmentMembershipRow = defineEntity({
  name: 'SegmentMembershipRow',
  tableName: 'segment_stays',
  properties: {
    id: p.uuid().primary(),
    projectId: p.uuid().$type<ProjectId>(),
    segmentId: p.uuid(),
    contactId: p.uuid(),
    enteredAt: p.datetime(3),
    leftAt: p.datetime(3).nullable(),
  },
  indexes: [{ name: 'segment_stays_contact', properties: ['contactId'] }],
  uniques: [{ name: 'segment_stays_now', properties: ['segmentId', 'contactId'], where: 'left_at is null' }],
})
