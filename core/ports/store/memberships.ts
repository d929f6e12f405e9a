import type { ProjectId } from '../../values/project-id.ts'
import type { Audience } from './audiences.ts'

/** A membership of a contact in a segment; one without an end lasts still. */
export interface SegmentMembership {
  readonly id: string
  readonly projectId: ProjectId
  readonly segmentId: string
  readonly contactId: string
  readonly enteredAt: Date
  readonly leftAt?: Date
}

/** Who is and was in segments. */
export interface MembershipRepository {
  /** Begins these memberships of one segment, except of contacts that are members already or are gone; answers the ids of the contacts that became members. */
  enter(memberships: readonly SegmentMembership[]): Promise<readonly string[]>
  /** Ends the memberships of these contacts; answers the ids of those that were members. Ended ones are kept. */
  leave(projectId: ProjectId, segmentId: string, contactIds: readonly string[], at: Date): Promise<readonly string[]>
  /** Ids of contacts that match and are not written down as members, in their order. */
  entering(projectId: ProjectId, segmentId: string, audience: Audience, among: Among): Promise<readonly string[]>
  /** Ids of contacts that are written down as members and do not match, in their order. */
  leaving(projectId: ProjectId, segmentId: string, audience: Audience, among: Among): Promise<readonly string[]>
  /** How many contacts are written down as members of each of these segments; one without members may be missing. */
  count(projectId: ProjectId, segmentIds: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** The memberships of a contact in a segment, the latest first, at most `limit`. */
  of(projectId: ProjectId, segmentId: string, contactId: string, limit: number): Promise<readonly SegmentMembership[]>
  /**
   * Removes up to `limit` memberships of a segment that was removed, those behind `after`. Answers the last of them; undefined
   * when there was none.
   */
  forget(projectId: ProjectId, id: string, limit: number, after?: string): Promise<string | undefined>
}

/** Which contacts are looked at: at most `limit` behind `after`, only those changed since, only those of these ids. */
export interface Among {
  readonly limit: number
  readonly after?: string
  readonly changedSince?: Date
  readonly ids?: readonly string[]
}
