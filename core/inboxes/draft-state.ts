import { EngineError } from '../errors.ts'
import type { AskedDraft, InboxDraft } from '../ports/store/drafts.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Repositories } from '../ports/store/store.ts'
import type { InboxVisitor } from '../projects/caller.ts'
import { isId } from '../values/id.ts'
import { shownId } from '../values/shown-id.ts'
import { stopped } from './inbox.ts'

/** The draft. Throws EngineError `CONFLICT` when it was sent. */
export function requireUnsent(draft: InboxDraft): InboxDraft {
  if (draft.status !== 'sent') return draft
  throw new EngineError('CONFLICT', 'The draft was sent already.', {
    suggestion: 'Its mail is the record that emailId names. POST /drafts/{id}/undo takes it back while it waits.',
  })
}

/** The draft. Throws EngineError `CONFLICT` when it does not wait. */
export function requireWaiting(draft: InboxDraft): InboxDraft {
  if (draft.status === 'waiting') return draft
  throw new EngineError('CONFLICT', `The draft is ${draft.status}: it does not wait for approval.`)
}

/**
 * A draft that is about to be changed: open again if it was refused, and with the text that a person was asked about, if it is not a
 * person who changes it.
 */
export function changeable(draft: InboxDraft, { authorType }: InboxVisitor): InboxDraft {
  const { changedFrom, ...plain } = draft
  const open: InboxDraft = draft.status === 'refused' ? { ...plain, status: 'open' } : plain
  // who changes it has seen it
  if (authorType === 'user') return open
  const isFirst = draft.status === 'waiting' && changedFrom === undefined
  const asked = isFirst || draft.status === 'refused' ? askedOf(draft) : changedFrom
  return asked === undefined ? open : { ...open, changedFrom: asked }
}

function askedOf({ version, to, cc, bcc, subject, body, attachments = [] }: InboxDraft): AskedDraft {
  const files = attachments.map(({ id, filename }) => ({ id, filename }))
  return { version, to: [...to], cc: [...cc], bcc: [...bcc], subject, body, files }
}

/** Throws EngineError `FORBIDDEN` for a key: approval is a person's. */
export function requirePerson({ authorType }: InboxVisitor): void {
  if (authorType !== 'key') return
  throw new EngineError('FORBIDDEN', 'A key cannot approve or refuse a mail: a person has to.', {
    suggestion: 'Log in as a member of the project.',
  })
}

export function missingDraft(id: string): never {
  throw new EngineError('DRAFT_NOT_FOUND', `There is no draft ${shownId(id)}.`)
}

/** Throws EngineError `FORBIDDEN` for a key that was stopped or revoked, also a moment ago in another process. */
export async function requireGoing(
  { projects }: Pick<Repositories, 'projects'>,
  { id }: Project,
  { grant, authorId }: InboxVisitor,
): Promise<void> {
  if (grant === undefined) return
  // locked: a stop waits for what is accepted before it, and takes that back
  const key = isId(authorId ?? '') ? await projects.lockKey(authorId ?? '') : undefined
  // an engine may act for a key of its host, which the store does not know
  if (key?.stoppedAt || (isId(authorId ?? '') && key?.projectId !== id)) throw stopped()
}
