import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { EngineError } from '../errors.ts'
import { type Project, TRACKING } from '../ports/store/projects.ts'
import { canonicalDomain, domainOf, EmailAddress, isDomain } from '../values/email-address.ts'
import { isId } from '../values/id.ts'
import { Mailbox } from '../values/mailbox.ts'
import { TRACKING_CONSENTS } from '../values/tracking-consent.ts'
import { isWebhookSecret } from '../webhooks/secrets.ts'

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
