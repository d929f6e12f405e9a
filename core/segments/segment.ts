import * as v from 'valibot'
import { EngineError } from '../errors.ts'
import { FilterParameter } from '../filters/filter-parameter.ts'
import { Segment } from '../ports/store/segments.ts'
import { EmailAddress } from '../values/email-address.ts'
import type { InputOf, UntrustedInput } from '../values/input.ts'
import { listOf } from '../values/list.ts'
import { PageQuery } from '../values/page.ts'
import { say } from '../values/parse.ts'
import { changing, creating } from '../values/record.ts'
import { SEEN_VERSION } from '../values/record-version.ts'
import { shownId } from '../values/shown-id.ts'

/** The filter of a segment under both its names. */
const FILTERS = {
  /** The filter of a dynamic segment. */
  filters: v.optional(FilterParameter),
  /** Another name of `filters`. */
  condition: v.optional(FilterParameter),
}

/** The body of `POST /segments`. */
export const CreateSegment = v.object({ ...creating(Segment).entries, ...FILTERS })

/** The body of `PATCH /segments/{id}`. The type may be given, but not changed. */
export const ChangeSegment = v.object({
  ...changing(Segment).entries,
  ...FILTERS,
  /** With another name: whether its events get the new name in workflows and webhooks, too; otherwise they refuse it. */
  rename: v.optional(v.boolean()),
  ...SEEN_VERSION,
})

const Emails = listOf(EmailAddress, 1, 1000)
const ContactIds = listOf(v.string(), 1, 1000)
/** The other way to name contacts. */
const not = (other: string) => v.nullish(v.never(say('custom', `must not be given beside ${other}`)))

/** The body of `POST /segments/{id}/members`, by address or by id. */
export const AddMembersByAddress = v.object({
  /** The addresses of 1 to 1,000 contacts. */
  emails: Emails,
  /** Instead of `emails`: the ids of 1 to 1,000 contacts. */
  contactIds: not('emails'),
  /** Whether unknown addresses become contacts. */
  createMissing: v.optional(v.boolean(), false),
  /** Whether these contacts are subscribed; true by default. */
  subscribed: v.optional(v.boolean(), true),
})

/** The body of `DELETE /segments/{id}/members`, by address or by id. */
export const RemoveMembersByAddress = v.object({
  /** The addresses of 1 to 1,000 contacts. */
  emails: Emails,
  /** Instead of `emails`: the ids of 1 to 1,000 contacts. */
  contactIds: not('emails'),
})

/** The body of either by id. */
export const MembersById = v.object({
  /** The ids of 1 to 1,000 contacts. */
  contactIds: ContactIds,
  /** Instead of `contactIds`: the addresses of 1 to 1,000 contacts. */
  emails: not('contactIds'),
})

export const AddMembers = v.union([AddMembersByAddress, MembersById])
export const RemoveMembers = v.union([RemoveMembersByAddress, MembersById])

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
export type AddMembersInput = InputOf<typeof AddMembersByAddress> | InputOf<typeof MembersById>

/** The contacts to remove from a static segment. */
export type RemoveMembersInput = InputOf<typeof RemoveMembersByAddress> | InputOf<typeof MembersById>

/** The page of members. */
export interface ListMembersInput extends InputOf<typeof ListMembers> {}

/** Whether contacts are named by id, instead of their addresses. */
export function isById(input: AddMembersInput | RemoveMembersInput | UntrustedInput): boolean {
  return typeof input === 'object' && input !== null && 'contactIds' in input && input.contactIds != null
}

/** Throws EngineError `SEGMENT_NOT_FOUND`. */
export function missingSegment(id: string): never {
  throw new EngineError('SEGMENT_NOT_FOUND', `There is no segment ${shownId(id)}.`)
}
