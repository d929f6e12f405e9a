import * as v from 'valibot'
import { KEY_KINDS, KEY_SCOPES } from '../../core/ports/store/projects.ts'
import { named } from '../../core/values/described.ts'
import { Id, many, Time } from './parts.ts'

const entries = {
  id: Id,
  projectId: Id,
  name: v.string(),
  kind: v.picklist(KEY_KINDS),
  scopes: many(v.picklist(KEY_SCOPES)),
  prefix: v.string(),
  createdAt: Time,
  expiresAt: v.nullable(Time),
  lastUsedAt: v.nullable(Time),
}

export const ApiKeyRecord = named('ApiKey', v.object(entries))

/** With the key itself, which is shown this once. */
export const NewApiKeyRecord = named('NewApiKey', v.object({ ...entries, key: v.string() }))
