import { defineEntity, p } from '@mikro-orm/core'

/** Users, one per row. */
export const UserRow = defineEntity({
  name: 'UserRow',
  tableName: 'users',
  properties: {
    id: p.uuid().primary(),
    email: p.text(),
    name: p.text().nullable(),
    language: p.text().nullable(),
    passwordHash: p.text().nullable(),
    sessionVersion: p.integer(),
    verifiedAt: p.datetime(3).nullable(),
    trusted: p.boolean().nullable(),
    totpSecret: p.text().nullable(),
    totpSince: p.datetime(3).nullable(),
    totpStep: p.integer().nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  uniques: [{ name: 'users_email', properties: ['email'] }],
})

/** The users' accounts at providers of logins. */
export const UserIdentityRow = defineEntity({
  name: 'UserIdentityRow',
  tableName: 'user_identities',
  properties: {
    provider: p.text().primary(),
    subject: p.text().primary(),
    userId: p.uuid(),
    createdAt: p.datetime(3),
  },
})

/** The users' recovery codes, by hash. */
export const RecoveryCodeRow = defineEntity({
  name: 'RecoveryCodeRow',
  tableName: 'recovery_codes',
  properties: {
    userId: p.uuid().primary(),
    hash: p.text().primary(),
  },
})
