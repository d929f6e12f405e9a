import { defineEntity, p } from '@mikro-orm/core'
import type { JsonObject } from '../../../../core/values/json.ts'

/** Events, one per row, never changed. */
export const EventRow = defineEntity({
  name: 'EventRow',
  tableName: 'events',
  properties: {
    id: p.uuid().primary(),
    projectId: p.uuid(),
    name: p.text(),
    contactId: p.uuid(),
    emailId: p.uuid().nullable(),
    data: p.json().$type<JsonObject>(),
    createdAt: p.datetime(3),
  },
  indexes: [
    { name: 'events_page', properties: ['projectId', 'id'] },
    { name: 'events_by_name', properties: ['projectId', 'name', 'id'] },
    { name: 'events_by_name_contact', properties: ['projectId', 'name', 'contactId', 'createdAt'] },
    { name: 'events_by_contact', properties: ['projectId', 'contactId', 'id'] },
    { name: 'events_by_email', properties: ['emailId'], where: 'email_id is not null' },
  ],
})
