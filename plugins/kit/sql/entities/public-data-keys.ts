import { defineEntity, p } from '@mikro-orm/core'

/**
 * The data keys of contacts that public API keys have brought into a project, numbered: of two processes that bring a key
 * at the same time one meets the other's number, so that none is brought beyond the most there may be.
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
