import { defineEntity, p } from '@mikro-orm/core'

/** The suppression list, one address per row. */
export const SuppressionRow = defineEntity({
  name: 'SuppressionRow',
  tableName: 'suppressions',
  properties: {
    id: p.uuid().primary(),
    projectId: p.uuid(),
    email: p.text(),
    reason: p.text(),
    detail: p.text().nullable(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3).nullable(),
  },
  indexes: [{ name: 'suppressions_page', properties: ['projectId', 'id'] }],
  uniques: [{ name: 'suppressions_email', properties: ['projectId', 'email'] }],
})
