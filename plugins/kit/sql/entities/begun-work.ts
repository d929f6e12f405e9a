import { defineEntity, p } from '@mikro-orm/core'
import type { BegunKind } from '../../../../core/ports/store/begun-work.ts'
import type { ProjectId } from '../../../../core/values/project-id.ts'
import { claimColumns } from '../engine/claim.ts'

/** Work under way that has no row of its own, and such work that was given up; the id is its kind and its key. */
export const BegunWorkRow = defineEntity({
  name: 'BegunWorkRow',
  tableName: 'begun_work',
  properties: {
    id: p.text().primary(),
    kind: p.text().$type<BegunKind>(),
    key: p.text(),
    projectId: p.uuid().$type<ProjectId>().nullable(),
    ...claimColumns(),
    reason: p.text().nullable(),
    givenUpAt: p.datetime(3).nullable(),
  },
})
