import { createHash, randomBytes } from 'node:crypto'
import type { ApiKey, KeyKind } from '../ports/store/projects.ts'

/** The name of keys from the configuration, and of those that the first start makes. */
export const CONFIG_KEY = 'config'

/** A new key that cannot be guessed: `sk_` or `pk_` and 192 random bits. */
export function newKeyText(kind: KeyKind): string {
  return `${kind === 'secret' ? 'sk_' : 'pk_'}${randomBytes(24).toString('hex')}`
}

/** The hash under which a key is stored and looked up. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

/** What is stored of a key, with all that its kind may do: not the key itself. */
export function storedKey(
  key: string,
  fields: Pick<ApiKey, 'id' | 'projectId' | 'kind' | 'name' | 'createdAt'>,
): ApiKey {
  const scopes = fields.kind === 'secret' ? (['full'] as const) : (['track'] as const)
  return { ...fields, scopes, hash: hashKey(key), prefix: key.slice(0, 8) }
}
