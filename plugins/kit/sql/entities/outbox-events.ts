import { defineEntity, p } from '@mikro-orm/core'
import { claimColumns } from '../engine/claim.ts'

/**
 * Events that workflows or endpoints wait for, one per row, by the event's id. A trigger writes the row with the event.
 */
export const OutboxEventRow = defineEntity({
  name: 'OutboxEventRow',
  tableName: 'untold_events',
  properties: {
    id: p.uuid().primary(),
    projectId: p.uuid(),
    name: p.text(),
    contactId: p.uuid(),
    createdAt: p.datetime(3),
    ...claimColumns(),
  },
  indexes: [
    { name: 'untold_events_claimed', properties: ['leaseToken'], where: 'lease_token is not null' },
    { name: 'untold_events_alone', properties: ['id'], where: 'interrupted >= 2' },
  ],
})
