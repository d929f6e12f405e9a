import { defineEntity, p } from '@mikro-orm/core'

/** One removed contact a row, until nothing of it is left anywhere. */
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
