import { defineEntity, p } from '@mikro-orm/core'

/** Removed contacts, one per row, until nothing is left of them anywhere. */
export const ErasureRow = defineEntity({
  name: 'ErasureRow',
  tableName: 'erasures',
  properties: {
    contactId: p.uuid().primary(),
    projectId: p.uuid(),
    removedAt: p.datetime(3),
    dueAt: p.datetime(3),
  },
  indexes: [{ name: 'erasures_due', properties: ['dueAt', 'contactId'] }],
})
