import type { AdviceCode } from '../../values/advice.ts'
import type { ProjectId } from '../../values/project-id.ts'

/** PENDING: not proven yet. FAILED: no longer proven, or its key cannot be used: the owner has to act. */
export const DOMAIN_STATUSES = ['PENDING', 'VERIFIED', 'FAILED'] as const
export type DomainStatus = (typeof DOMAIN_STATUSES)[number]

/** A domain a project sends from, or wants to. The name is unique over all projects. */
export interface SenderDomain {
  /** A UUID (version 7): those made later sort after those made before. */
  readonly id: string
  /** The project that it belongs to. */
  readonly projectId: ProjectId
  /** As in addresses: lower-case, in Unicode. */
  readonly domain: string
  /** Whether its records were found. */
  readonly status: DomainStatus
  /** Oldest first. */
  readonly keys: readonly DomainKey[]
  /** The last finding for each record, by `type name`. */
  readonly findings: Readonly<Record<string, StoredFinding>>
  /** Checks in a row that missed the key in use, not counting those too soon after another. */
  readonly failures: number
  /** Its own host for the links in its mail. */
  readonly link?: DomainLink
  /** Its MTA-STS policy, if it is served here. */
  readonly sts?: StsPolicy
  /** When the proof was last seen. */
  readonly provenAt?: Date
  /** When its records were last looked up; absent: never. */
  readonly lastCheckedAt?: Date
  /** When the next check is due. */
  readonly dueAt: Date
  /** When it was made, by the clock of the engine. */
  readonly createdAt: Date
  /** When it last changed; at first, when it was made. */
  readonly updatedAt: Date
}

/** One proof of a domain. Dates are ISO 8601, since it is stored as JSON. */
export interface DomainKey {
  readonly selector: string
  readonly publicData: string
  /** The private key, encrypted; absent when a provider signs, and once it is retired. */
  readonly sealed?: string
  /** PENDING: waits for its records; ACTIVE: in use; RETIRED: replaced, its records stay for mail on its way. */
  readonly state: 'PENDING' | 'ACTIVE' | 'RETIRED'
  readonly createdAt: string
  readonly retiredAt?: string
  /** When the last counted check missed it. */
  readonly missedAt?: string
}

/** A host for the links in a domain's mail. */
export interface DomainLink {
  /** A name below the domain (in older rows the domain itself), in the same form. */
  readonly host: string
  /** True when its record was seen: links use it until several checks have missed the record. */
  readonly inUse: boolean
  /** Checks in a row that missed the record, not counting those too soon after another. */
  readonly failures: number
  /** When the last counted check missed it, as ISO 8601, since it is stored as JSON. */
  readonly missedAt?: string
}

/** The modes of an MTA-STS policy: how senders treat a mail exchanger without a valid certificate (RFC 8461, section 5). */
export const STS_MODES = ['none', 'testing', 'enforce'] as const
export type StsMode = (typeof STS_MODES)[number]

/** The MTA-STS policy of a domain (RFC 8461). */
export interface StsPolicy {
  readonly mode: StsMode
  /** The mail exchangers, in ASCII and lower case; `*.` stands for one label. */
  readonly mx: readonly string[]
  /** For how long senders keep the policy, in seconds. */
  readonly maxAge: number
}

export interface StoredFinding {
  readonly state: 'found' | 'missing' | 'wrong'
  readonly advice: string
  /** Absent in findings of earlier versions. */
  readonly adviceCodes?: readonly AdviceCode[]
}

export interface DomainRepository {
  find(projectId: ProjectId, id: string): Promise<SenderDomain | undefined>
  /** As `find`, inside a transaction, which locks the domain until it ends. */
  lock(projectId: ProjectId, id: string): Promise<SenderDomain | undefined>
  /** All domains of the project, by name. */
  all(projectId: ProjectId): Promise<readonly SenderDomain[]>
  /** How many domains the project has. */
  count(projectId: ProjectId): Promise<number>
  /** Those of these domains that belong to any project. */
  named(domains: readonly string[]): Promise<readonly SenderDomain[]>
  /** The domain added last, of any project. */
  newest(): Promise<SenderDomain | undefined>
  insert(domain: SenderDomain): Promise<'inserted' | 'taken'>
  /** Writes every field; false when there is no such domain. */
  update(domain: SenderDomain): Promise<boolean>
  remove(projectId: ProjectId, id: string): Promise<boolean>
  /**
   * Up to `limit` domains that are due at `now`, longest due first, of all projects except these. They are due again at
   * `next`. Of two callers only one gets a domain.
   */
  claimDue(now: Date, next: Date, limit: number, except: readonly ProjectId[]): Promise<readonly SenderDomain[]>
}
