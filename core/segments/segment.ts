import * as v from 'valibot'
import { EngineError } from '../errors.ts'
import { FilterKeys } from '../filters/filter-keys.ts'
import type { FilterInput } from '../ports/store/filters.ts'
import { SEGMENT_TYPES } from '../ports/store/segments.ts'
import { EmailAddress } from '../values/email-address.ts'
import { type InputOf, takes } from '../values/input.ts'
import { listOf } from '../values/list.ts'
import { PageQuery } from '../values/page.ts'
import { readElsewhere } from '../values/unknown-keys.ts'

const Name = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(255))
const Description = v.pipe(v.string(), v.maxLength(2000))

/** The body of `POST /segments`; `filters` and `condition` are read by the filters room. */
export const CreateSegment = v.object({
  /** Its name; in lower case and with hyphens it stands in the names of its events. */
  name: Name,
  /** What it is for; null takes it away. */
  description: v.nullish(Description),
  /** `DYNAMIC` has a filter, `STATIC` is a list of contacts. */
  type: v.optional(v.picklist(SEGMENT_TYPES), 'DYNAMIC'),
  /** Who belongs to it, for a dynamic one. */
  filters: v.optional(readElsewhere(takes<FilterInput>()(v.unknown()), FilterKeys)),
  /** Another name of `filters`. */
  condition: v.optional(readElsewhere(takes<FilterInput>()(v.unknown()), FilterKeys)),
  /** Whether it is written down who comes and goes, with an event each. */
  trackMembership: v.optional(v.boolean(), false),
})

/** The body of `PATCH /segments/{id}`. */
export const ChangeSegment = v.object({
  /** Its name; in lower case and with hyphens it stands in the names of its events. */
  name: v.optional(Name),
  /** What it is for; null takes it away. */
  description: v.nullish(Description),
  /** May be given as it is; it cannot be changed. */
  type: v.optional(v.picklist(SEGMENT_TYPES)),
  /** Who belongs to it, for a dynamic one. */
  filters: v.optional(readElsewhere(takes<FilterInput>()(v.unknown()), FilterKeys)),
  /** Another name of `filters`. */
  condition: v.optional(readElsewhere(takes<FilterInput>()(v.unknown()), FilterKeys)),
  /** Whether it is written down who comes and goes, with an event each. */
  trackMembership: v.optional(v.boolean()),
})

const Emails = listOf(EmailAddress, 1, 500)

/** The body of `POST /segments/{id}/members`. */
export const AddMembers = v.object({
  /** The addresses of 1 to 500 contacts. */
  emails: Emails,
  /** Whether contacts are made for addresses that have none. */
  createMissing: v.optional(v.boolean(), false),
  /** Whether contacts made so are subscribed; true without it. */
  subscribed: v.optional(v.boolean(), true),
})

/** The body of `DELETE /segments/{id}/members`. */
export const RemoveMembers = v.object({
  /** The addresses of 1 to 500 contacts. */
  emails: Emails,
})

/** The query of `GET /segments/{id}/contacts`. */
export const ListMembers = v.object({
  /** Which page, from 1. */
  page: PageQuery.entries.page,
  /** How many a page has: 1 to 100, 20 without it. */
  pageSize: PageQuery.entries.pageSize,
  /** Another name of `pageSize`. */
  limit: PageQuery.entries.limit,
})

/** A new segment. */
export interface CreateSegmentInput extends InputOf<typeof CreateSegment> {}

/** The fields of a segment that are to change. */
export interface ChangeSegmentInput extends InputOf<typeof ChangeSegment> {}

/** Who becomes a member of a static segment. */
export interface AddMembersInput extends InputOf<typeof AddMembers> {}

/** Who is no member of a static segment any more. */
export interface RemoveMembersInput extends InputOf<typeof RemoveMembers> {}

/** Which part of the members is wanted. */
export interface ListMembersInput extends InputOf<typeof ListMembers> {}

/** Throws EngineError `SEGMENT_NOT_FOUND`. */
export function missingSegment(id: string): never {
  throw new EngineError('SEGMENT_NOT_FOUND', `There is no segment ${id}.`)
}
