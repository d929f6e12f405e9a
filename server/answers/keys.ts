import * as v from 'valibot'
import { APPROVALS, INBOX_RIGHTS, KEY_KINDS, KEY_SCOPES } from '../../core/ports/store/projects.ts'
import { named } from '../../core/values/described.ts'
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
  prefix: v.string(),
  createdAt: Time,
  expiresAt: v.nullable(Time),
  lastUsedAt: v.nullable(Time),
  stoppedAt: v.nullable(Time),
}

/** A key without its hash, which cannot be read back. */
export const ApiKeyAnswer = answer('ApiKey', key)

/** With the key itself, which is shown this once. */
export const NewApiKeyAnswer = answer('NewApiKey', { ...key, key: v.string() })
