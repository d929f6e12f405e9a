import * as v from 'valibot'
import { EngineError } from '../errors.ts'
import { Inbox } from '../ports/store/inboxes.ts'
import type { Repositories } from '../ports/store/store.ts'
import type { Author } from '../ports/store/template-versions.ts'
import { describedBy } from '../values/described.ts'
import { isDomain } from '../values/email-address.ts'
import { isId } from '../values/id.ts'
import type { InputOf } from '../values/input.ts'
import { isJsonObject } from '../values/json.ts'
import { PageQuery } from '../values/page.ts'
import { say } from '../values/parse.ts'
import type { ProjectId } from '../values/project-id.ts'
import { changing, creating } from '../values/record.ts'
import { SEEN_VERSION } from '../values/record-version.ts'

/** How many inboxes a project may have: programs make one for each of their agents or customers. */
export const MAX_INBOXES = 10_000
/** How many values of its own an inbox has at most, and how many characters they have as JSON. */
const MOST_METADATA = 50
const LONGEST_METADATA = 20_000

const Metadata = describedBy(
  v.pipe(
    Inbox.fields.metadata[0].read,
    v.check(
      (given) => isJsonObject(given) && Object.keys(given).length <= MOST_METADATA,
      say('too_big', `must have at most ${MOST_METADATA} keys`),
    ),
    v.check(
      (given) => JSON.stringify(given).length <= LONGEST_METADATA,
      say('too_big', `must have at most ${LONGEST_METADATA} characters as JSON`),
    ),
  ),
  v.record(v.string(), v.unknown()),
)

export const CreateInbox = v.object({
  ...creating(Inbox, { metadata: Metadata }).entries,
  /** Without an address: the domain of the free one, by default the first verified domain of the project. */
  domain: v.optional(
    v.pipe(v.string(), v.trim(), v.toLowerCase(), v.check(isDomain, say('invalid_string', 'must be a domain'))),
  ),
})

export const ChangeInbox = v.object({ ...changing(Inbox, { metadata: Metadata }).entries, ...SEEN_VERSION })

export const ListInboxes = PageQuery

/** A new inbox. */
export interface CreateInboxInput extends InputOf<typeof CreateInbox> {}

/** The fields of an inbox to change; null removes one that may be missing. */
export interface ChangeInboxInput extends InputOf<typeof ChangeInbox> {}

/** Which page of the inboxes. */
export interface ListInboxesInput extends InputOf<typeof ListInboxes> {}

/** Whether this author sees the inbox: a user only where it is for all members, or for this one. */
export function isSeenBy({ memberIds }: Inbox, by: Author): boolean {
  return by.authorType !== 'user' || memberIds === undefined || memberIds.includes(by.authorId ?? '')
}

/** The name under which an author's reading is kept. */
export function readerOf({ authorType, authorId }: Author): string {
  return authorType === 'engine' ? 'engine' : (authorId ?? authorType)
}

/** The inbox. Throws EngineError `INBOX_NOT_FOUND`, also for one that this author does not see. */
export async function namedInbox(
  reads: Pick<Repositories, 'inboxes'>,
  projectId: ProjectId,
  id: string,
  by: Author,
): Promise<Inbox> {
  const inbox = isId(id) ? await reads.inboxes.find(projectId, id) : undefined
  return inbox && isSeenBy(inbox, by) ? inbox : missingInbox(id)
}

export function missingInbox(id: string): never {
  throw new EngineError('INBOX_NOT_FOUND', `There is no inbox ${id}.`)
}
