import * as v from 'valibot'
import { isJsonObject } from '../../values/json.ts'
import { byDefault, count, flag, json, label, moment, object, oneOf, optional, text, words } from '../../values/kind.ts'
import type { ProjectId } from '../../values/project-id.ts'
import { given, INTERNAL, owned, type RecordOf, record, TIMES, VERSIONED } from '../../values/record.ts'
import type { Filter } from './filters.ts'

/** A DYNAMIC segment contains the contacts that match its filter now; a STATIC one is a list of contacts. */
export const SEGMENT_TYPES = ['DYNAMIC', 'STATIC'] as const
export type SegmentType = (typeof SEGMENT_TYPES)[number]

/** A named part of a project's contacts. */
export const Segment = record('Segment', 'A named part of the contacts: those that a filter finds, or a list.', {
  ...owned('segment'),
  name: [
    label(255),
    'The name in lists, at most 255 characters. When it is created, its slug is made of it.',
    given('create', 'change'),
  ],
  slug: [words, 'The name in events: a tracked segment writes `segment.<slug>.entry` and `segment.<slug>.exit`.'],
  description: [
    optional(text(0, 2000)),
    'A note for the team, at most 2,000 characters. In a request, null removes it.',
    given('create', 'change'),
  ],
  type: [
    byDefault(oneOf(SEGMENT_TYPES), 'DYNAMIC'),
    '`DYNAMIC` (the default) has a filter, `STATIC` is a list of contacts. It cannot be changed later.',
    given('create', 'change'),
  ],
  filter: [
    optional(json<Filter>(v.custom<Filter>(isJsonObject))),
    'Every DYNAMIC segment has one; a STATIC one never does.',
    INTERNAL,
  ],
  condition: [optional(object), "The same filter in Plunk's form, when it was written so.", INTERNAL],
  filterEdition: [
    optional(count),
    'By which edition of the operators the filter was written; absent when before they were counted.',
    INTERNAL,
  ],
  trackMembership: [
    byDefault(flag, false),
    "Whether members' entries and exits are recorded, with an event each. By default `false`.",
    given('create', 'change'),
  ],
  memberCount: [count, 'How many members it had when they were last counted, at `countedAt`.'],
  countedAt: [optional(moment), 'When the members were last counted.'],
  computedAt: [optional(moment), 'When the members of a tracked segment were last brought up to date.'],
  fullyComputedAt: [optional(moment), 'When all contacts were last compared, not only changed ones.', INTERNAL],
  begunAt: [
    optional(moment),
    'For DYNAMIC segments: when it was last created, changed, computed or counted; it is due again some time later.',
    INTERNAL,
  ],
  ...VERSIONED,
  problem: [
    optional(words),
    'Why its members are no longer brought up to date: processes ended while they were computed, three times. A change of the segment, or `POST /segments/{id}/compute` or `/refresh` that succeeds, ends it.',
  ],
  ...TIMES,
})
export interface Segment extends RecordOf<typeof Segment> {}

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
