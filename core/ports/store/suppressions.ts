import { address, moment, oneOf, orNull, text } from '../../values/kind.ts'
import type { PageRequest } from '../../values/page.ts'
import type { ProjectId } from '../../values/project-id.ts'
import { given, owned, type RecordOf, record } from '../../values/record.ts'

export const SUPPRESSION_REASONS = ['BOUNCE', 'COMPLAINT', 'MANUAL'] as const
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number]

/** An address that gets no more mail of a project. Unique by address within the project. */
export const Suppression = record('Suppression', 'An address that gets no mail at all.', {
  ...owned('entry'),
  email: [address, 'The address.', given('create')],
  reason: [oneOf(SUPPRESSION_REASONS), '`BOUNCE` and `COMPLAINT` come from mail that was sent, `MANUAL` from people.'],
  detail: [
    orNull(text(0, 1000)),
    'Why, in words, such as the reply of the server; at most 1,000 characters.',
    given('create'),
  ],
  createdAt: [moment, 'When it was created (ISO 8601, UTC).'],
  expiresAt: [orNull(moment), 'From then on it has no effect (ISO 8601). Without it, it never ends.', given('create')],
})
export interface Suppression extends RecordOf<typeof Suppression> {}

/** Which entries of a list are wanted. */
export interface WantedSuppressions {
  /** Only those with this reason. */
  readonly reason?: SuppressionReason | undefined
  /** Only those of these addresses. */
  readonly emails?: readonly string[] | undefined
}

export interface SuppressionRepository {
  /** Up to `limit + 1`, newest first (by id); expired ones are left out. */
  page(projectId: ProjectId, now: Date, page: PageRequest, wanted?: WantedSuppressions): Promise<readonly Suppression[]>
  count(projectId: ProjectId, now: Date, wanted?: WantedSuppressions): Promise<number>
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
