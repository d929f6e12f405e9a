import { defineEntity, p } from '@mikro-orm/core'
import type { ProjectId } from '../../../../core/values/project-id.ts'

/** Contacts that were merged into others, one per row, so that the links in their mails and their addresses lead to these. */
export const MergedContactRow = defineEntity({
  name: 'MergedContactRow',
  tableName: 'merged_contacts',
  properties: {
    contactId: p.uuid().primary(),
    projectId: p.uuid().$type<ProjectId>(),
    intoId: p.uuid(),
    /** The address it had; null since another contact has taken it, and for those merged before addresses were kept. */
    email: p.text().nullable(),
  },
  indexes: [
    { name: 'merged_contacts_into', properties: ['intoId'] },
    { name: 'merged_contacts_email', properties: ['projectId', 'email'] },
  ],
})
