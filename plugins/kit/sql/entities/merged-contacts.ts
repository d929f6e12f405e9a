import { defineEntity, p } from '@mikro-orm/core'
import type { ProjectId } from '../../../../core/values/project-id.ts'

/** Contacts that were merged into others, one per row, so that the links in their mails lead to these. */
export const MergedContactRow = defineEntity({
  name: 'MergedContactRow',
  tableName: 'merged_contacts',
  properties: {
    contactId: p.uuid().primary(),
    projectId: p.uuid().$type<ProjectId>(),
    intoId: p.uuid(),
  },
  indexes: [{ name: 'merged_contacts_into', properties: ['intoId'] }],
})
