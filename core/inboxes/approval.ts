import type { InboxDraft } from '../ports/store/drafts.ts'
import type { Inbox } from '../ports/store/inboxes.ts'
import { APPROVALS } from '../ports/store/projects.ts'
import type { Thread } from '../ports/store/threads.ts'
import type { InboxVisitor } from '../projects/caller.ts'

/** Whether this draft waits for a person: only that of a key does, by the stricter of what the inbox and the key say. */
export function needsApproval(
  inbox: Inbox,
  { to, cc, bcc, status }: InboxDraft,
  thread: Thread | undefined,
  { authorType, grant }: InboxVisitor,
): boolean {
  if (authorType !== 'key') return false
  // another key cannot do what only a person can
  if (status === 'waiting') return true
  const strictness = Math.max(APPROVALS.indexOf(inbox.approval), APPROVALS.indexOf(grant?.approval ?? 'never'))
  switch (APPROVALS[strictness]) {
    case 'always':
      return true
    case 'outside': {
      const known = new Set([inbox.address, ...(thread?.participants ?? []).map(({ email }) => email)])
      return thread === undefined || [...to, ...cc, ...bcc].some(({ email }) => !known.has(email))
    }
    case 'new-threads':
      return thread === undefined
    default:
      return false
  }
}
