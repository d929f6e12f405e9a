import { defineEntity, p } from '@mikro-orm/core'

/** Tokens that work once; removed when used, and after they expired. */
export const UserTokenRow = defineEntity({
  name: 'UserTokenRow',
  tableName: 'user_tokens',
  properties: {
    id: p.uuid().primary(),
    purpose: p.text(),
    userId: p.uuid().nullable(),
    email: p.text().nullable(),
    projectId: p.uuid().nullable(),
    role: p.text().nullable(),
    inviter: p.text().nullable(),
    expiresAt: p.datetime(3),
    createdAt: p.datetime(3),
  },
  indexes: [
    { name: 'user_tokens_user', properties: ['userId'] },
    { name: 'user_tokens_project', properties: ['projectId'] },
    { name: 'user_tokens_invited', properties: ['email'], where: "purpose = 'invite'" },
    { name: 'user_tokens_expires', properties: ['expiresAt'] },
  ],
})
