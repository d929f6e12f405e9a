import { defineEntity, p } from '@mikro-orm/core'
import type { JsonObject } from '../../../../core/values/json.ts'
import { claimColumns } from '../engine/claim.ts'

/** Imports and bulk changes, one per row, with the lease of the worker. */
export const ContactJobRow = defineEntity({
  name: 'ContactJobRow',
  tableName: 'contact_jobs',
  properties: {
    id: p.uuid().primary(),
    projectId: p.uuid(),
    type: p.text(),
    state: p.text(),
    progress: p.integer(),
    request: p.json().$type<JsonObject>(),
    position: p.json().$type<JsonObject>(),
    result: p.json().$type<JsonObject>(),
    failedReason: p.text().nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
    ...claimColumns(),
  },
  indexes: [
    { name: 'contact_jobs_due', properties: ['id'], where: "state in ('waiting', 'active')" },
    { name: 'contact_jobs_newest', properties: ['projectId', 'type', 'id'] },
  ],
})
