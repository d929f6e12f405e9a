import type { JsonObject } from '../../values/json.ts'
import type { ProjectId } from '../../values/project-id.ts'
import type { Filter } from './filters.ts'

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
  /** Only of DYNAMIC segments, and all of them have one. */
  readonly filter?: Filter
  /** The same filter as Plunk writes it, when it was written so. */
  readonly condition?: JsonObject
  /** Whether the entry and exit of its members are events. Of a DYNAMIC segment they are written down only then. */
  readonly trackMembership: boolean
  /** How many members there were at `countedAt`. Of a STATIC segment it is counted when it is read. */
  readonly memberCount: number
  readonly countedAt?: Date
  /** When the last full account of its members was begun; missing: never, or its filter changed since. */
  readonly computedAt?: Date
  /** When all contacts were last looked at, and not only those that changed. */
  readonly fullyComputedAt?: Date
  /** When it was last made, changed, computed or counted; of DYNAMIC segments, which are looked at again some time later. */
  readonly begunAt?: Date
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface SegmentRepository {
  find(projectId: ProjectId, id: string): Promise<Segment | undefined>
  /** As `find`, inside a transaction: nobody else changes the segment or who is in it until it ends. */
  lock(projectId: ProjectId, id: string): Promise<Segment | undefined>
  /** Every segment of the project, newest first. */
  all(projectId: ProjectId): Promise<readonly Segment[]>
  /** As `all`, inside a transaction: nobody else changes or removes any of them until it ends. */
  lockAll(projectId: ProjectId): Promise<readonly Segment[]>
  insert(segment: Segment): Promise<'inserted' | 'slug-taken'>
  /** Writes every field. */
  update(segment: Segment): Promise<'updated' | 'slug-taken' | 'missing'>
  /** Removes the segment; its memberships, of which there may be very many, go by `MembershipRepository.forget`. */
  remove(projectId: ProjectId, id: string): Promise<boolean>

  /** Ids of DYNAMIC segments of all projects that are not disabled, last begun before that date, the longest ago first. */
  due(before: Date, limit: number): Promise<readonly string[]>
  /** Begins those of these segments that were last begun before that date, for this caller alone, and answers them. */
  begin(ids: readonly string[], before: Date, now: Date): Promise<readonly Segment[]>
}
