import type { ProjectId } from '../../values/project-id.ts'

/** A mail sent to test how mail from a domain arrives. */
export interface DomainTest {
  /** Also the id of its e-mail record. */
  readonly id: string
  /** The project that it belongs to. */
  readonly projectId: ProjectId
  readonly domainId: string
  readonly to: string
  /** Whether the mail comes back to this server. */
  readonly isOurs: boolean
  /** Whether it was sent like marketing mail. */
  readonly isMarketing: boolean
  readonly arrival?: Arrival
  /** When it was made, by the clock of the engine. */
  readonly createdAt: Date
}

/** The arrived mail. A plain JSON value. */
export interface Arrival {
  /** ISO 8601. */
  readonly at: string
  /** Result words (RFC 8601). */
  readonly spf: string
  readonly dkim: string
  readonly dmarc: string
  /** The domains of the valid signatures. */
  readonly signedBy: readonly string[]
  /** Its return path. */
  readonly sender: string
  readonly remoteAddress: string
  readonly tls: boolean
  /** The DNS names of its sender's address, and whether one resolves back to it; absent when the DNS did not answer. */
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
  /** The test, of any project. */
  named(id: string): Promise<DomainTest | undefined>
  /** How many tests of the domain were started since then. */
  countSince(projectId: ProjectId, domainId: string, since: Date): Promise<number>
  /** Stores the arrival; false when there is one already, or there is no such test. */
  arrived(id: string, arrival: Arrival): Promise<boolean>
  /** Deletes up to `limit` tests that were started before; answers how many. */
  forget(before: Date, limit: number): Promise<number>
}
