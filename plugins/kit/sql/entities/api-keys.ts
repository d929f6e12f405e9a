import { defineEntity, p } from '@mikro-orm/core'

/** The projects' API keys, by hash. */
export const ApiKeyRow = defineEntity({
  name: 'ApiKeyRow',
  tableName: 'api_keys',
  properties: {
    id: p.uuid().primary(),
    projectId: p.uuid(),
    kind: p.text(),
    name: p.text(),
    hash: p.text(),
    prefix: p.text(),
    createdAt: p.datetime(3),
    lastUsedAt: p.datetime(3).nullable(),
    revokedAt: p.datetime(3).nullable(),
  },
  indexes: [{ name: 'api_keys_page', properties: ['projectId', 'id'] }],
  uniques: [{ name: 'api_keys_hash', properties: ['hash'] }],
})
