import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { EngineError } from '../errors.ts'
import { canonicalDomain, domainOf, EmailAddress, isDomain } from '../values/email-address.ts'
import { isId } from '../values/id.ts'
import { Mailbox, type NamedAddress } from '../values/mailbox.ts'
import { TRACKING_CONSENTS, type TrackingConsent } from '../values/tracking-consent.ts'
import { isWebhookSecret } from '../webhooks/secrets.ts'

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
  /** What may be noted of the openings and clicks of contacts that are made, until they say otherwise. */
  readonly trackingConsent: TrackingConsent
  /** The language (BCP 47) of hosted pages and footers for contacts whose `data.locale` names none; `en` when absent. */
  readonly locale?: string
  /** Present: who signs up with a public key is subscribed only when they confirm it by the mail sent to them. */
  readonly doubleOptIn?: DoubleOptIn
  /** Sends what names no sender of its own. */
  readonly from?: NamedAddress
  /** Sender domains the operator vouches for; they count as verified. Lower-case. */
  readonly trustedDomains: readonly string[]
  /** Sender domains the project has added and proven, as the store knows them; not saved with the project. Absent: none. */
  readonly verifiedDomains?: readonly string[]
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** Who the mail that asks for a confirmation comes from. */
export interface DoubleOptIn {
  readonly from: string
  readonly fromName?: string | undefined
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
  /** Revokes the project's keys of this name whose hash is not listed. Answers how many. */
  revokeKeys(projectId: ProjectId, name: string, keep: readonly string[], at: Date): Promise<number>
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
  webhookSecret: v.optional(
    v.pipe(v.string(), v.check(isWebhookSecret, 'must be whsec_ and 24 to 64 random bytes in base64')),
  ),
  tracking: v.optional(v.picklist(TRACKING)),
  trackingConsent: v.optional(v.picklist(TRACKING_CONSENTS)),
  locale: v.optional(
    v.pipe(v.string(), v.regex(/^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/, 'must be a language tag such as en or pt-BR')),
  ),
  /** `null` ends it. */
  doubleOptIn: v.nullish(v.object({ from: EmailAddress, fromName: v.optional(v.pipe(v.string(), v.maxLength(255))) })),
  /** `null` takes it away. */
  from: v.nullish(Mailbox),
  disabled: v.optional(v.boolean()),
  trustedDomains: v.optional(
    v.array(
      v.pipe(
        v.string(),
        v.toLowerCase(),
        v.transform(canonicalDomain),
        v.check(isDomain, 'must be a domain name such as example.com'),
      ),
    ),
  ),
})
export type ProjectSettings = v.InferInput<typeof ProjectSettings>

/** What is wrong with a sender in the settings whose domain the project does not have. */
export const UNVERIFIED_SENDER =
  "must be an address of one of the project's trustedDomains, or of a domain it has added"

/** How a key is stored and looked up. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

/** Takes text as a project's id; undefined when it has not an id's form. Whether the project exists is another question. */
export function asProjectId(text: string): ProjectId | undefined {
  return isId(text) ? (text as ProjectId) : undefined
}

/** Throws EngineError `PROJECT_DISABLED` when the project takes no writes. */
export function requireEnabled(project: Project): void {
  if (!project.disabled) return
  throw new EngineError('PROJECT_DISABLED', `The project "${project.name}" is disabled; it can only be read.`, {
    suggestion: 'Ask the operator of this server to enable the project.',
  })
}

/** True when the project may send from this very domain: proven, or vouched for by the operator. */
export function isVerifiedDomain(
  project: Pick<Project, 'trustedDomains' | 'verifiedDomains'>,
  domain: string,
): boolean {
  return project.trustedDomains.includes(domain) || project.verifiedDomains?.includes(domain) === true
}

/**
 * Checks that the project may send from this address: its domain (exactly, not a parent) is one of the project's.
 * Throws EngineError `DOMAIN_NOT_VERIFIED`.
 */
export function requireVerifiedDomain(project: Project, address: string): void {
  const domain = domainOf(address)
  if (isVerifiedDomain(project, domain)) return
  const known = [...project.trustedDomains, ...(project.verifiedDomains ?? [])].join(', ')
  throw new EngineError('DOMAIN_NOT_VERIFIED', `The domain ${domain} is not verified for this project.`, {
    suggestion: `Add ${domain} by POST /domains, publish its records, and send again; or start with TRUSTED_DOMAINS=${domain}. Until then it can send from: ${known || '(none yet)'}.`,
  })
}
