import type { ProjectId } from '../../values/project-id.ts'

/** PENDING: never proven so far. FAILED: was proven, and is no longer, or its key cannot be used: somebody has to act. */
export const DOMAIN_STATUSES = ['PENDING', 'VERIFIED', 'FAILED'] as const
export type DomainStatus = (typeof DOMAIN_STATUSES)[number]

/** A domain a project sends from, or wants to. Unique by name over all projects. */
export interface SenderDomain {
  readonly id: string
  readonly projectId: ProjectId
  /** As addresses have it: lower-case, in Unicode. */
  readonly domain: string
  readonly status: DomainStatus
  /** Oldest first. */
  readonly keys: readonly DomainKey[]
  /** What was seen last in the place of each record, by `type name`. */
  readonly findings: Readonly<Record<string, StoredFinding>>
  /** Checks in a row in which the key in use was not there; those that come too soon after one are not counted. */
  readonly failures: number
  /** A host of its own for the links in its mail. */
  readonly link?: DomainLink
  /** When the proof was seen last. */
  readonly provenAt?: Date
  readonly lastCheckedAt?: Date
  /** When it is to be checked next. */
  readonly dueAt: Date
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** One proof of a domain. Dates are ISO 8601: it is kept as JSON. */
export interface DomainKey {
  readonly selector: string
  readonly publicData: string
  /** The private key, encrypted; absent where a provider signs, and once it is retired. */
  readonly sealed?: string
  /** PENDING: waits for its records; ACTIVE: in use; RETIRED: another took its place, its records stay for mail on its way. */
  readonly state: 'PENDING' | 'ACTIVE' | 'RETIRED'
  readonly createdAt: string
  readonly retiredAt?: string
  /** When a check counted last that it was not there. */
  readonly missedAt?: string
}

/** A host that links in the mail of a domain lead to. */
export interface DomainLink {
  /** A name below the domain (in older rows the domain itself), in the same form. */
  readonly host: string
  /** Its record was seen, and links use it; until the record was missing in several checks. */
  readonly inUse: boolean
  /** Checks in a row in which the record was not there; those that come too soon after one are not counted. */
  readonly failures: number
  /** When a check was counted last, as ISO 8601: it is kept as JSON. */
  readonly missedAt?: string
}

export interface StoredFinding {
  readonly state: 'found' | 'missing' | 'wrong'
  readonly advice: string
}

export interface DomainRepository {
  find(projectId: ProjectId, id: string): Promise<SenderDomain | undefined>
  /** As `find`, inside a transaction: until it ends nobody else changes or removes the domain. */
  lock(projectId: ProjectId, id: string): Promise<SenderDomain | undefined>
  /** All domains of the project, by name. */
  all(projectId: ProjectId): Promise<readonly SenderDomain[]>
  /** How many domains the project has. */
  count(projectId: ProjectId): Promise<number>
  /** Those of these domains that some project has. */
  named(domains: readonly string[]): Promise<readonly SenderDomain[]>
  /** The one added last, of whatever project. */
  newest(): Promise<SenderDomain | undefined>
  insert(domain: SenderDomain): Promise<'inserted' | 'taken'>
  /** Writes every field; false when there is no such domain. */
  update(domain: SenderDomain): Promise<boolean>
  remove(projectId: ProjectId, id: string): Promise<boolean>
  /**
   * Up to `limit` domains that are due at `now`, longest due first, of all projects but these; they are due again at `next`.
   * Of two that ask, one gets a domain.
   */
  claimDue(now: Date, next: Date, limit: number, except: readonly ProjectId[]): Promise<readonly SenderDomain[]>
}
