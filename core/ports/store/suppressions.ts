import type { PageRequest } from '../../values/page.ts'
import type { ProjectId } from '../../values/project-id.ts'

export const SUPPRESSION_REASONS = ['BOUNCE', 'COMPLAINT', 'MANUAL'] as const
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number]

/** An address that gets no more mail of a project. Unique by address within the project. */
export interface Suppression {
  /** A UUID (version 7): those made later sort after those made before. */
  readonly id: string
  /** The project that it belongs to. */
  readonly projectId: ProjectId
  /** The address that gets no mail, in lower case. */
  readonly email: string
  /** Why: a bounce, a complaint, or somebody added it. */
  readonly reason: SuppressionReason
  /** What the server or the person said. */
  readonly detail?: string
  /** When it was made, by the clock of the engine. */
  readonly createdAt: Date
  /** When it stops applying. */
  readonly expiresAt?: Date
}

export interface SuppressionRepository {
  /** Up to `limit + 1`, newest first (by id); expired ones are left out. */
  page(projectId: ProjectId, now: Date, page: PageRequest): Promise<readonly Suppression[]>
  count(projectId: ProjectId, now: Date): Promise<number>
  /**
   * Adds it or, when the address is on the list already, replaces the reason, detail and expiry. Answers the stored
   * entry.
   */
  put(suppression: Suppression): Promise<Suppression>
  /** As `put`, for many of a project at once, each address once. Answers how many addresses were new. */
  putAll(projectId: ProjectId, suppressions: readonly Suppression[]): Promise<number>
  /** The entry of an address, in force at `now`. */
  find(projectId: ProjectId, email: string, now: Date): Promise<Suppression | undefined>
  /** Which of these addresses are on the list, in force at `now`. */
  among(projectId: ProjectId, emails: readonly string[], now: Date): Promise<ReadonlySet<string>>
  /** Removes by id or address; true when there was one. */
  remove(projectId: ProjectId, idOrEmail: string): Promise<boolean>
}
