import { EngineError } from '../errors.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Repositories } from '../ports/store/store.ts'
import { domainOf } from '../values/email-address.ts'
import { refused } from '../values/parse.ts'

/** The problem of a sender in the settings whose domain the project does not have. */
export const UNVERIFIED_SENDER =
  "must be an address of one of the project's trustedDomains, or of a domain it has added"

const NO_PROJECT = {
  field: 'project',
  code: 'invalid_type',
  message: 'must be a project, as engine.projects.get(id) answers it',
} as const

/** Throws EngineError `PROJECT_NOT_FOUND` for the id of any other project: it does not exist for the caller. */
export function requireOwnProject(project: Project, projectId: string): void {
  if (projectId !== project.id) throw new EngineError('PROJECT_NOT_FOUND', `There is no project ${projectId}.`)
}

/**
 * Throws EngineError `PROJECT_DISABLED` when the project takes no writes, and `VALIDATION_ERROR` for anything that is no
 * project, such as its id, which a host without a compiler may give.
 */
export function requireEnabled(project: Project): void {
  requireProject(project)
  if (!project.disabled) return
  throw new EngineError('PROJECT_DISABLED', `The project "${project.name}" is disabled; it can only be read.`, {
    suggestion: 'Ask the operator of this server to enable the project.',
  })
}

/** Throws EngineError `VALIDATION_ERROR` for anything that is no project. */
export function requireProject(project: unknown): asserts project is Project {
  const given = project as Partial<Project> | undefined | null
  if (typeof given?.id !== 'string' || !Array.isArray(given.trustedDomains)) throw refused([NO_PROJECT])
}

/** The domains that the project may send from: those the operator vouches for, then those that were proven. */
export function domainsOf({
  trustedDomains,
  verifiedDomains = [],
}: Pick<Project, 'trustedDomains' | 'verifiedDomains'>): readonly string[] {
  return [...trustedDomains, ...verifiedDomains]
}

/** True when the project may send from exactly this domain: proven, or vouched for by the operator. */
export function isVerifiedDomain(
  project: Pick<Project, 'trustedDomains' | 'verifiedDomains'>,
  domain: string,
): boolean {
  return project.trustedDomains.includes(domain) || project.verifiedDomains?.includes(domain) === true
}

/** Whether the project has added the address's domain, proven or not, or the operator vouches for it. */
export async function isOwnDomain(
  { domains }: Pick<Repositories, 'domains'>,
  project: Project,
  address: string,
): Promise<boolean> {
  const domain = domainOf(address)
  if (isVerifiedDomain(project, domain)) return true
  return (await domains.named([domain])).some(({ projectId }) => projectId === project.id)
}

/**
 * Checks that a draft may name this sender, which may wait for the records of its domain: what is sent is checked again.
 * Throws EngineError `DOMAIN_NOT_VERIFIED`.
 */
export async function requireOwnDomain(
  reads: Pick<Repositories, 'domains'>,
  project: Project,
  address: string,
): Promise<void> {
  if (!(await isOwnDomain(reads, project, address))) requireVerifiedDomain(project, address)
}

/**
 * Checks that the project may send from this address: its domain (exactly, not a parent) is one of the project's.
 * Throws EngineError `DOMAIN_NOT_VERIFIED`.
 */
export function requireVerifiedDomain(project: Project, address: string): void {
  const domain = domainOf(address)
  if (isVerifiedDomain(project, domain)) return
  const known = domainsOf(project).join(', ')
  throw new EngineError('DOMAIN_NOT_VERIFIED', `The domain ${domain} is not verified for this project.`, {
    suggestion: `Add ${domain} by POST /domains, publish its records, and send again; or start with TRUSTED_DOMAINS=${domain}. Until then it can send from: ${known || '(none yet)'}.`,
  })
}
