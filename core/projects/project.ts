import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { isDomain } from '../values/email-address.ts'
import { isId } from '../values/id.ts'

declare const branded: unique symbol
/** The id of a project. Only this room makes one, so that no other id can be passed in its place. */
export type ProjectId = string & { readonly [branded]: 'ProjectId' }

/** Whether opens and clicks are tracked: of all mail, of none, or of marketing mail only. */
export const TRACKING = ['ENABLED', 'DISABLED', 'MARKETING_ONLY'] as const
export type Tracking = (typeof TRACKING)[number]

export interface Project {
  readonly id: ProjectId
  readonly name: string
  /** A disabled project refuses writes; reads still work. */
  readonly disabled: boolean
  readonly tracking: Tracking
  /** Sender domains the operator vouches for; they count as verified. Lower-case. */
  readonly trustedDomains: readonly string[]
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** `secret` keys open everything, `public` keys only tracking (they stand in web pages). */
export type KeyKind = 'secret' | 'public'

export interface ApiKey {
  readonly id: string
  readonly projectId: ProjectId
  readonly kind: KeyKind
  readonly name: string
  /** SHA-256 of the key, hexadecimal. The key itself is not stored. */
  readonly hash: string
  /** The first 8 characters, to recognise a key by. */
  readonly prefix: string
  readonly createdAt: Date
  readonly lastUsedAt?: Date
  readonly revokedAt?: Date
}

export interface ProjectRepository {
  find(id: ProjectId): Promise<Project | undefined>
  /** All projects, oldest first. */
  list(): Promise<readonly Project[]>
  /** Inserts the project or brings the stored one of that id up to date. */
  save(project: Project): Promise<void>
  /** The unrevoked key of this hash with its project. */
  findKey(hash: string): Promise<{ readonly key: ApiKey; readonly project: Project } | undefined>
  /** Adds a key; `exists` when this project has it already, `taken` when another project has it. */
  addKey(key: ApiKey): Promise<'added' | 'exists' | 'taken'>
  /** Notes that a key was used. */
  touchKey(id: string, at: Date): Promise<void>
}

/** A project as the config states it. What is left out is kept as it is, or made. */
export const ProjectSettings = v.object({
  id: v.optional(v.pipe(v.string(), v.check(isId, 'must be a lower-case UUID'))),
  name: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(200)),
  secretKey: v.optional(
    v.pipe(v.string(), v.regex(/^sk_[\x21-\x7e]{16,200}$/, 'must start with sk_ and have at least 16 more characters')),
  ),
  publicKey: v.optional(
    v.pipe(v.string(), v.regex(/^pk_[\x21-\x7e]{16,200}$/, 'must start with pk_ and have at least 16 more characters')),
  ),
  tracking: v.optional(v.picklist(TRACKING)),
  disabled: v.optional(v.boolean()),
  trustedDomains: v.optional(
    v.array(v.pipe(v.string(), v.toLowerCase(), v.check(isDomain, 'must be a domain name such as example.com'))),
  ),
})
export type ProjectSettings = v.InferInput<typeof ProjectSettings>

/** How a key is stored and looked up. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

/** Takes text as a project's id; undefined when it has not an id's form. Whether the project exists is another question. */
export function asProjectId(text: string): ProjectId | undefined {
  return isId(text) ? (text as ProjectId) : undefined
}
