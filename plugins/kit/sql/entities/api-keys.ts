import { defineEntity, p } from '@mikro-orm/core'
import type { GrantedClient, InboxGrant, KeyScope } from '../../../../core/ports/store/projects.ts'

/** The projects' API keys, by hash. */
export const ApiKeyRow = defineEntity({
  name: 'ApiKeyRow',
  tableName: 'api_keys',
  properties: {
    id: p.uuid().primary(),
    projectId: p.uuid(),
    kind: p.text(),
    name: p.text(),
    scopes: p.json().$type<readonly KeyScope[]>().defaultRaw(`'["full"]'`),
    inbox: p.json().$type<InboxGrant>().nullable(),
    userId: p.uuid().nullable(),
    client: p.json().$type<GrantedClient>().nullable(),
    hash: p.text(),
    prefix: p.text(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3).nullable(),
    lastUsedAt: p.datetime(3).nullable(),
    stoppedAt: p.datetime(3).nullable(),
    revokedAt: p.datetime(3).nullable(),
  },
  indexes: [{ name: 'api_keys_page', properties: ['projectId', 'id'] }],
  uniques: [{ name: 'api_keys_hash', properties: ['hash'] }],
})
