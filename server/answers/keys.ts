import * as v from 'valibot'
import { KEY_KINDS, KEY_SCOPES } from '../../core/ports/store/projects.ts'
import { answer } from './answer.ts'
import { Id, many, Time } from './parts.ts'

const key = {
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

/** A key without its hash, which cannot be read back. */
export const ApiKeyAnswer = answer('ApiKey', key)

/** With the key itself, which is shown this once. */
export const NewApiKeyAnswer = answer('NewApiKey', { ...key, key: v.string() })
