import { defineEntity, p } from '@mikro-orm/core'

/** Sessions of users; removed when they end, and after they expired. */
export const UserSessionRow = defineEntity({
  name: 'UserSessionRow',
  tableName: 'user_sessions',
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    agent: p.text().nullable(),
    address: p.text().nullable(),
    lastUsedAt: p.datetime(3),
    expiresAt: p.datetime(3),
    createdAt: p.datetime(3),
  },
  indexes: [
    { name: 'user_sessions_user', properties: ['userId'] },
    { name: 'user_sessions_expires', properties: ['expiresAt'] },
  ],
})
