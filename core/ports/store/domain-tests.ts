import type { ProjectId } from '../../values/project-id.ts'

/** A mail that was sent to see how mail from a domain arrives. */
export interface DomainTest {
  /** Also the id of its e-mail record. */
  readonly id: string
  readonly projectId: ProjectId
  readonly domainId: string
  readonly to: string
  /** Whether it is to come back to us. */
  readonly isOurs: boolean
  /** Whether it was sent as marketing mail is. */
  readonly isMarketing: boolean
  readonly arrival?: Arrival
  readonly createdAt: Date
}

/** What of it arrived. A plain JSON value. */
export interface Arrival {
  /** ISO 8601. */
  readonly at: string
  /** Result words (RFC 8601). */
  readonly spf: string
  readonly dkim: string
  readonly dmarc: string
  /** The domains of the signatures that hold. */
  readonly signedBy: readonly string[]
  /** The return path it came with. */
  readonly sender: string
  readonly remoteAddress: string
  readonly tls: boolean
  /** The names its sender's address has in the DNS, and whether one leads back to it; absent when the DNS did not say. */
  readonly names?: readonly string[]
  readonly leadsBack?: boolean
  /** In octets. */
  readonly size: number
  readonly listUnsubscribe: string
  readonly listUnsubscribePost: string
}

export interface DomainTestRepository {
  add(test: DomainTest): Promise<void>
  find(projectId: ProjectId, id: string): Promise<DomainTest | undefined>
  /** The test of whatever project. */
  named(id: string): Promise<DomainTest | undefined>
  /** How many tests of the domain were begun since then. */
  countSince(projectId: ProjectId, domainId: string, since: Date): Promise<number>
  /** Writes what arrived; false when something has arrived already, or there is no such test. */
  arrived(id: string, arrival: Arrival): Promise<boolean>
  /** Forgets up to `limit` tests that were begun before; answers how many. */
  forget(before: Date, limit: number): Promise<number>
}
