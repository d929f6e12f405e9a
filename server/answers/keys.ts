import * as v from 'valibot'
import { APPROVALS, type ApiKey, INBOX_RIGHTS, KEY_KINDS, KEY_SCOPES } from '../../core/ports/store/projects.ts'
import { isTestKey } from '../../core/projects/api-keys.ts'
import { named } from '../../core/values/described.ts'
import { MEMBER_ROLES } from '../../core/values/member-roles.ts'
import { answer } from './answer.ts'
import { Count, Id, many, Time } from './parts.ts'

const key = {
  id: Id,
  projectId: Id,
  name: v.string(),
  kind: v.picklist(KEY_KINDS),
  scopes: many(v.picklist(KEY_SCOPES)),
  inbox: v.optional(
    named(
      'InboxGrant',
      v.object({
        inboxIds: many(Id),
        rights: many(v.picklist(INBOX_RIGHTS)),
        approval: v.picklist(APPROVALS),
        hourly: v.optional(Count),
      }),
    ),
  ),
  client: v.nullable(
    named('GrantedClient', v.object({ host: v.string(), userId: Id, by: v.string(), role: v.picklist(MEMBER_ROLES) })),
  ),
  prefix: v.string(),
  test: v.boolean(),
  createdAt: Time,
  expiresAt: v.nullable(Time),
  lastUsedAt: v.nullable(Time),
  stoppedAt: v.nullable(Time),
}

/** A key without its hash, which cannot be read back. */
export const ApiKeyAnswer = answer('ApiKey', key, found)

/** With the key itself, which is shown this once. */
export const NewApiKeyAnswer = answer(
  'NewApiKey',
  { ...key, key: v.string() },
  (made: ApiKey & { readonly key: string }) => ({
    ...found(made),
    key: made.key,
  }),
)

/** A client's key ends when it no longer comes back for the next one. */
function found({ client, userId = '', ...record }: ApiKey) {
  const shown = { ...record, test: isTestKey(record) }
  if (client === undefined) return shown
  const { host, by, role, until } = client
  return { ...shown, client: { host, userId, by, role }, expiresAt: new Date(until) }
}
