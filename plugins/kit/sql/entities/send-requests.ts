import { defineEntity, p } from '@mikro-orm/core'
import type { SendRequestRecord } from '../../../../core/ports/store/send-requests.ts'
import type { Json, JsonObject } from '../../../../core/values/json.ts'
import type { ProjectId } from '../../../../core/values/project-id.ts'
import { claimColumns } from '../engine/claim.ts'

/** Mails that other programs have asked for in the database, each with the lease of the process that accepts it. */
export const SendRequestRow = defineEntity({
  name: 'SendRequestRow',
  tableName: 'send_requests',
  properties: {
    id: p.uuid().primary(),
    projectId: p.uuid().$type<ProjectId>(),
    mail: p.json().$type<JsonObject>().nullable(),
    size: p.integer(),
    idempotencyKey: p.text().nullable(),
    fingerprint: p.text().nullable(),
    status: p.text().$type<SendRequestRecord['status']>(),
    outcome: p.json().$type<Json>().nullable(),
    attempts: p.integer(),
    dueAt: p.datetime(3),
    createdAt: p.datetime(3),
    doneAt: p.datetime(3).nullable(),
    ...claimColumns(),
  },
  indexes: [
    { name: 'send_requests_due', properties: ['dueAt', 'id'], where: `status = 'WAITING'` },
    { name: 'send_requests_done', properties: ['doneAt'], where: 'done_at is not null' },
  ],
  uniques: [
    {
      name: 'send_requests_key',
      properties: ['projectId', 'idempotencyKey'],
      where: `idempotency_key is not null and status <> 'REFUSED'`,
    },
  ],
})
