import { defineEntity, p } from '@mikro-orm/core'

/** Who changed what, one change per row. */
export const AuditEntryRow = defineEntity({
  name: 'AuditEntryRow',
  tableName: 'audit_entries',
  properties: {
    id: p.uuid().primary(),
    projectId: p.uuid().nullable(),
    at: p.datetime(3),
    action: p.text(),
    actorType: p.text(),
    actorId: p.text(),
    actorName: p.text(),
    targetType: p.text(),
    targetId: p.text().nullable(),
    targetName: p.text().nullable(),
    parentType: p.text().nullable(),
    parentId: p.text().nullable(),
    createdId: p.text().nullable(),
    fields: p.json().$type<readonly string[]>(),
    outcome: p.text(),
    requestId: p.text(),
    address: p.text().nullable(),
  },
  indexes: [
    { name: 'audit_entries_page', properties: ['projectId', 'id'] },
    { name: 'audit_entries_kind', properties: ['projectId', 'targetType', 'id'] },
    { name: 'audit_entries_actor', properties: ['actorId', 'id'] },
  ],
})
