import { defineEntity, p } from '@mikro-orm/core'

/**
 * The contact data keys that public API keys added to a project, numbered. When two processes add a key at the same
 * time, the unique number stops one of them, so that there are never more than the limit.
 */
export const PublicDataKeyRow = defineEntity({
  name: 'PublicDataKeyRow',
  tableName: 'public_data_keys',
  properties: {
    projectId: p.uuid().primary(),
    key: p.text().primary(),
    number: p.integer(),
  },
  uniques: [{ name: 'public_data_keys_number', properties: ['projectId', 'number'] }],
})
