import type { ProjectId } from '../../values/project-id.ts'
import type { Audience } from './audiences.ts'

/** A contact's membership in a segment; without `leftAt` it is current. */
export interface SegmentMembership {
  /** A UUID (version 7): those made later sort after those made before. */
  readonly id: string
  /** The project that it belongs to. */
  readonly projectId: ProjectId
  /** The segment. */
  readonly segmentId: string
  /** The member. */
  readonly contactId: string
  /** When the contact entered. */
  readonly enteredAt: Date
  /** When the contact left; absent while it is a member. */
  readonly leftAt?: Date
}

/** Current and former members of segments. */
export interface MembershipRepository {
  /**
   * Begins these memberships of one segment, except for contacts that are members already or no longer exist. Answers
   * the ids of the new members.
   */
  enter(memberships: readonly SegmentMembership[]): Promise<readonly string[]>
  /** Ends the memberships of these contacts; answers the ids of those that were members. Ended ones are kept. */
  leave(projectId: ProjectId, segmentId: string, contactIds: readonly string[], at: Date): Promise<readonly string[]>
  /** Ids of contacts that match and are not recorded as members, in order. */
  entering(projectId: ProjectId, segmentId: string, audience: Audience, among: Among): Promise<readonly string[]>
  /** Ids of contacts that are recorded as members and do not match, in order. */
  leaving(projectId: ProjectId, segmentId: string, audience: Audience, among: Among): Promise<readonly string[]>
  /** How many recorded members each of these segments has; one without members may be missing. */
  count(projectId: ProjectId, segmentIds: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** In which of these segments the contact is now, as far as recorded. */
  current(projectId: ProjectId, contactId: string, segmentIds: readonly string[]): Promise<readonly SegmentMembership[]>
  /**
   * Deletes up to `limit` memberships of a removed segment, after `after`. Answers the last of them; undefined when
   * there was none.
   */
  forget(projectId: ProjectId, id: string, limit: number, after?: string): Promise<string | undefined>
}

/** Limits which contacts are compared: at most `limit` after `after`, only those changed since, only these ids. */
export interface Among {
  readonly limit: number
  readonly after?: string
  readonly changedSince?: Date
  readonly ids?: readonly string[]
}
