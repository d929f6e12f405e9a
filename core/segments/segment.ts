import type { Audience } from '../filters/audience.ts'
import type { Filter } from '../filters/filter.ts'
import type { ProjectId } from '../projects/project.ts'

/** A DYNAMIC segment has a filter and is who matches it now; a STATIC one is a list of contacts. */
export const SEGMENT_TYPES = ['DYNAMIC', 'STATIC'] as const
export type SegmentType = (typeof SEGMENT_TYPES)[number]

/** A named part of a project's contacts. */
export interface Segment {
  readonly id: string
  readonly projectId: ProjectId
  readonly name: string
  /** The name in lower case words joined by hyphens; unique in the project, it stands in the names of its events. */
  readonly slug: string
  readonly description?: string
  readonly type: SegmentType
  /** Only of DYNAMIC segments. */
  readonly filter?: Filter
  /** Whether its members are written down and their entry and exit are events. */
  readonly trackMembership: boolean
  /** How many members there were at `countedAt`. */
  readonly memberCount: number
  readonly countedAt?: Date
  /** When its members were last computed against its filter as it is; missing: never, or the filter changed since. */
  readonly computedAt?: Date
  /** When all contacts were last looked at, and not only those that changed. */
  readonly fullyComputedAt?: Date
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** A stay of a contact in a segment. */
export interface Membership {
  readonly segmentId: string
  readonly contactId: string
  readonly enteredAt: Date
}

export interface SegmentRepository {
  find(projectId: ProjectId, id: string): Promise<Segment | undefined>
  /** As `find`, inside a transaction: nobody else changes or computes the segment until it ends. */
  lock(projectId: ProjectId, id: string): Promise<Segment | undefined>
  /** Every segment of the project, newest first. */
  all(projectId: ProjectId): Promise<readonly Segment[]>
  /** The tracked dynamic segments of all projects last computed before that date or never, the longest ago first. */
  dueForCompute(before: Date, limit: number): Promise<readonly Segment[]>
  insert(segment: Segment): Promise<'inserted' | 'slug-taken'>
  /** Writes every field. */
  update(segment: Segment): Promise<'updated' | 'slug-taken' | 'missing'>
  /** Removes the segment and its memberships. */
  remove(projectId: ProjectId, id: string): Promise<boolean>

  /** Writes down that these contacts are members from now on; answers those that were not before. */
  enter(projectId: ProjectId, segmentId: string, contactIds: readonly string[], at: Date): Promise<readonly string[]>
  /** Ends the stays of these contacts; answers those that were members. Ended stays are kept. */
  leave(projectId: ProjectId, segmentId: string, contactIds: readonly string[], at: Date): Promise<readonly string[]>
  /** Up to `limit` contacts behind `after` (by id) that match and are not written down as members. */
  entering(projectId: ProjectId, segmentId: string, audience: Audience, among: Among): Promise<readonly string[]>
  /** Up to `limit` contacts behind `after` (by id) that are written down as members and do not match. */
  leaving(projectId: ProjectId, segmentId: string, audience: Audience, among: Among): Promise<readonly string[]>
  /** How many contacts are written down as members. */
  countMembers(projectId: ProjectId, segmentId: string): Promise<number>
}

/** Which contacts are looked at: those behind `after`, and of them those changed since, if that is given. */
export interface Among {
  readonly limit: number
  readonly after?: string
  readonly changedSince?: Date
}
