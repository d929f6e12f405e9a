import { defineEntity, p } from '@mikro-orm/core'

/** An event somebody waits for a row, by the event's id; a trigger writes it with the event. */
export const OutboxEventRow = defineEntity({
  name: 'OutboxEventRow',
  tableName: 'untold_events',
  properties: {
    id: p.uuid().primary(),
    projectId: p.uuid(),
    name: p.text(),
    contactId: p.uuid(),
    createdAt: p.datetime(3),
  },
})
