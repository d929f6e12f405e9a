import * as v from 'valibot'
import { EngineError } from '../errors.ts'
import { Inbox, type InboxFilter } from '../ports/store/inboxes.ts'
import type { InboxRight } from '../ports/store/projects.ts'
import type { Repositories } from '../ports/store/store.ts'
import type { InboxVisitor } from '../projects/caller.ts'
import { describedBy } from '../values/described.ts'
import { isDomain } from '../values/email-address.ts'
import { isId } from '../values/id.ts'
import type { InputOf } from '../values/input.ts'
import { isJsonObject } from '../values/json.ts'
import { say } from '../values/parse.ts'
import type { ProjectId } from '../values/project-id.ts'
import { changing, creating } from '../values/record.ts'
import { SEEN_VERSION } from '../values/record-version.ts'
import { shownId } from '../values/shown-id.ts'

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

/** A new inbox. */
export interface CreateInboxInput extends InputOf<typeof CreateInbox> {}

/** The fields of an inbox to change; null removes one that may be missing. */
export interface ChangeInboxInput extends InputOf<typeof ChangeInbox> {}

/** Whether this visitor sees the inbox: a user where it is for all members or for this one, a key of some inboxes these. */
export function isSeenBy({ id, memberIds }: Inbox, by: InboxVisitor): boolean {
  if (by.grant) return by.grant.inboxIds.includes(id)
  return by.authorType !== 'user' || memberIds === undefined || memberIds.includes(by.authorId ?? '')
}

/** The inboxes that this visitor sees. */
export function seenBy({ authorType, authorId, grant }: InboxVisitor): InboxFilter {
  if (grant) return { ids: grant.inboxIds }
  return authorType === 'user' ? { memberId: authorId ?? '' } : {}
}

/** The refusal of a key that a person has stopped. */
export function stopped(): EngineError {
  return new EngineError('FORBIDDEN', 'This key was stopped: it may read, and nothing else.', {
    suggestion: 'A member with the role ADMIN lets it work again, in the settings of the project.',
  })
}

/** Throws EngineError `FORBIDDEN` for a key of some inboxes that was stopped, or without this right. Each right contains `read`. */
export function requireRight({ grant, isStopped }: InboxVisitor, right: InboxRight): void {
  if (grant === undefined || right === 'read') return
  if (isStopped) throw stopped()
  if (grant.rights.includes(right)) return
  const has = grant.rights.map((each) => `"${each}"`).join(', ')
  throw new EngineError('FORBIDDEN', `This needs a key with the right "${right}" in its inboxes; this one has ${has}.`)
}

/** The name under which an author's reading is kept. */
export function readerOf({ authorType, authorId }: InboxVisitor): string {
  return authorType === 'engine' ? 'engine' : (authorId ?? authorType)
}

/** The inbox. Throws EngineError `INBOX_NOT_FOUND`, also for one that this author does not see. */
export async function namedInbox(
  reads: Pick<Repositories, 'inboxes'>,
  projectId: ProjectId,
  id: string,
  by: InboxVisitor,
): Promise<Inbox> {
  const inbox = isId(id) ? await reads.inboxes.find(projectId, id) : undefined
  return inbox && isSeenBy(inbox, by) ? inbox : missingInbox(id)
}

export function missingInbox(id: string): never {
  throw new EngineError('INBOX_NOT_FOUND', `There is no inbox ${shownId(id)}.`)
}
