import type { JsonObject } from '../../values/json.ts'
import type { ProjectId } from '../../values/project-id.ts'
import type { Filter } from './filters.ts'

/** A DYNAMIC segment contains the contacts that match its filter now; a STATIC one is a list of contacts. */
export const SEGMENT_TYPES = ['DYNAMIC', 'STATIC'] as const
export type SegmentType = (typeof SEGMENT_TYPES)[number]

/** A named part of a project's contacts. */
export interface Segment {
  /** A UUID (version 7): those made later sort after those made before. */
  readonly id: string
  /** The project that it belongs to. */
  readonly projectId: ProjectId
  /** What people call it. */
  readonly name: string
  /** The name in lower-case words joined by hyphens; unique in the project, and part of its events' names. */
  readonly slug: string
  /** What it is for. */
  readonly description?: string
  /** `DYNAMIC` has a filter, `STATIC` a list of contacts. */
  readonly type: SegmentType
  /** Every DYNAMIC segment has one; a STATIC one never does. */
  readonly filter?: Filter
  /** The same filter in Plunk's form, when it was written so. */
  readonly condition?: JsonObject
  /** By which edition of the operators the filter was written; absent when before they were counted. */
  readonly filterEdition?: number
  /** Whether members entering and leaving are events. Only then are members of a DYNAMIC segment recorded. */
  readonly trackMembership: boolean
  /** The number of members at `countedAt`. A STATIC segment is counted on read. */
  readonly memberCount: number
  /** When its members were last counted. */
  readonly countedAt?: Date
  /** When the last full computation of its members began; absent: never, or its filter changed since. */
  readonly computedAt?: Date
  /** When all contacts were last compared, not only changed ones. */
  readonly fullyComputedAt?: Date
  /** For DYNAMIC segments: when it was last created, changed, computed or counted; it is due again some time later. */
  readonly begunAt?: Date
  /** The number of its current version, from 1: each change of what people write raises it. */
  readonly version: number
  /** Why its members are no longer computed, until it is changed or computed by hand. */
  readonly problem?: string
  /** When it was made, by the clock of the engine. */
  readonly createdAt: Date
  /** When it last changed; at first, when it was made. */
  readonly updatedAt: Date
}

export interface SegmentRepository {
  find(projectId: ProjectId, id: string): Promise<Segment | undefined>
  /** As `find`, inside a transaction, which locks the segment and its members until it ends. */
  lock(projectId: ProjectId, id: string): Promise<Segment | undefined>
  /** Every segment of the project, newest first. */
  all(projectId: ProjectId): Promise<readonly Segment[]>
  /** As `all`, inside a transaction, which locks all of them until it ends. */
  lockAll(projectId: ProjectId): Promise<readonly Segment[]>
  insert(segment: Segment): Promise<'inserted' | 'slug-taken'>
  /** Writes every field. */
  update(segment: Segment): Promise<'updated' | 'slug-taken' | 'missing'>
  /** Removes the segment; its memberships, possibly very many, are removed by `MembershipRepository.forget`. */
  remove(projectId: ProjectId, id: string): Promise<boolean>

  /** DYNAMIC segments of any project, the oldest first, whose filter has no edition. */
  withoutEdition(limit: number): Promise<readonly Segment[]>
  /** Ids of DYNAMIC segments without a problem, of enabled projects, that were last begun before that date, the longest ago first. */
  due(before: Date, limit: number): Promise<readonly string[]>
  /** Begins those of these segments that were last begun before that date, for this caller only, and answers them. */
  begin(ids: readonly string[], before: Date, now: Date): Promise<readonly Segment[]>
}
