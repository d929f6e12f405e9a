import * as v from 'valibot'
import { EngineError } from '../errors.ts'
import { FilterParameter } from '../filters/filter-parameter.ts'
import { SEGMENT_TYPES } from '../ports/store/segments.ts'
import { EmailAddress } from '../values/email-address.ts'
import type { InputOf } from '../values/input.ts'
import { listOf } from '../values/list.ts'
import { PageQuery } from '../values/page.ts'

const Name = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(255))
const Description = v.pipe(v.string(), v.maxLength(2000))

/** The body of `POST /segments`; the filters room reads `filters` and `condition`. */
export const CreateSegment = v.object({
  /** The name; its slug is part of its events' names. */
  name: Name,
  /** A description; null removes it. */
  description: v.nullish(Description),
  /** `DYNAMIC` has a filter, `STATIC` is a list of contacts. */
  type: v.optional(v.picklist(SEGMENT_TYPES), 'DYNAMIC'),
  /** The filter of a dynamic segment. */
  filters: v.optional(FilterParameter),
  /** Another name of `filters`. */
  condition: v.optional(FilterParameter),
  /** Whether members' entries and exits are recorded, with an event each. */
  trackMembership: v.optional(v.boolean(), false),
})

/** The body of `PATCH /segments/{id}`. */
export const ChangeSegment = v.object({
  /** The name; its slug is part of its events' names. */
  name: v.optional(Name),
  /** A description; null removes it. */
  description: v.nullish(Description),
  /** May be given, but not changed. */
  type: v.optional(v.picklist(SEGMENT_TYPES)),
  /** The filter of a dynamic segment. */
  filters: v.optional(FilterParameter),
  /** Another name of `filters`. */
  condition: v.optional(FilterParameter),
  /** Whether members' entries and exits are recorded, with an event each. */
  trackMembership: v.optional(v.boolean()),
})

const Emails = listOf(EmailAddress, 1, 500)

/** The body of `POST /segments/{id}/members`. */
export const AddMembers = v.object({
  /** The addresses of 1 to 500 contacts. */
  emails: Emails,
  /** Whether unknown addresses become contacts. */
  createMissing: v.optional(v.boolean(), false),
  /** Whether these contacts are subscribed; true by default. */
  subscribed: v.optional(v.boolean(), true),
})

/** The body of `DELETE /segments/{id}/members`. */
export const RemoveMembers = v.object({
  /** The addresses of 1 to 500 contacts. */
  emails: Emails,
})

/** The query of `GET /segments/{id}/contacts`. */
export const ListMembers = v.object({
  /** The page, from 1. */
  page: PageQuery.entries.page,
  /** Contacts per page: 1 to 100, by default 20. */
  pageSize: PageQuery.entries.pageSize,
  /** Another name of `pageSize`. */
  limit: PageQuery.entries.limit,
  /** The `cursor` of the previous page, instead of `page`: stable while contacts come and go. */
  cursor: PageQuery.entries.cursor,
})

/** A new segment. */
export interface CreateSegmentInput extends InputOf<typeof CreateSegment> {}

/** The fields of a segment to change. */
export interface ChangeSegmentInput extends InputOf<typeof ChangeSegment> {}

/** The contacts to become members of a static segment. */
export interface AddMembersInput extends InputOf<typeof AddMembers> {}

/** The contacts to remove from a static segment. */
export interface RemoveMembersInput extends InputOf<typeof RemoveMembers> {}

/** The page of members. */
export interface ListMembersInput extends InputOf<typeof ListMembers> {}

/** Throws EngineError `SEGMENT_NOT_FOUND`. */
export function missingSegment(id: string): never {
  throw new EngineError('SEGMENT_NOT_FOUND', `There is no segment ${id}.`)
}
