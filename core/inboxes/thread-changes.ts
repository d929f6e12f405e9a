import type * as v from 'valibot'
import { EngineError, invalidField } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { Inbox } from '../ports/store/inboxes.ts'
import type { Repositories } from '../ports/store/store.ts'
import { Thread } from '../ports/store/threads.ts'
import type { ProjectId } from '../values/project-id.ts'
import { changed } from '../values/record.ts'
import { shownId } from '../values/shown-id.ts'
import { missingInbox } from './inbox.ts'
import { noteEvents, type ThreadChange, updated } from './note-events.ts'
import type { ChangeThread } from './thread-request.ts'

/** The parts of a thread whose change is an event. */
const CHANGES = ['folder', 'labels', 'assigneeId'] as const

/** A thread and its inbox, inside a transaction that has locked both. */
interface LockedThread {
  readonly inbox: Inbox
  readonly thread: Thread
}

/** Locks an inbox and a thread of it. Throws EngineError `INBOX_NOT_FOUND`, `THREAD_NOT_FOUND`. */
export async function lockThread(
  tx: Repositories,
  projectId: ProjectId,
  inboxId: string,
  id: string,
): Promise<LockedThread> {
  // in the order in which received messages lock them
  const inbox = (await tx.inboxes.lock(projectId, inboxId)) ?? missingInbox(inboxId)
  return { inbox, thread: (await tx.threads.lock(projectId, id)) ?? missingThread(id) }
}

/**
 * Writes the given fields of a locked thread, and notes what changed. Labels have to be those of the inbox, or of the thread, which
 * keeps labels that the inbox no longer has. Throws EngineError `VALIDATION_ERROR`.
 */
export async function changeThread(
  tx: Repositories,
  { inbox, thread: before }: LockedThread,
  wanted: Omit<v.InferOutput<typeof ChangeThread>, 'read'>,
  kit: Kit,
): Promise<Thread> {
  if (wanted.labels) requireLabels(inbox, wanted.labels, before.labels)
  const labels = wanted.labels === undefined ? {} : { labels: [...new Set(wanted.labels)] }
  const after = { ...changed(Thread, before, { ...wanted, ...labels }), updatedAt: kit.now() }
  await tx.threads.update(after)
  const changes = changesOf(before, after)
  if (changes.length > 0) await noteEvents(tx, [updated(inbox, after, changes)], kit)
  return after
}

export function missingThread(id: string): never {
  throw new EngineError('THREAD_NOT_FOUND', `There is no thread ${shownId(id)}.`)
}

function requireLabels({ labels }: Inbox, wanted: readonly string[], kept: readonly string[]): void {
  const known = labels.map(({ name }) => name)
  const unknown = wanted.findIndex((name) => !known.includes(name) && !kept.includes(name))
  if (unknown < 0) return
  const has = known.length === 0 ? 'none' : known.map((name) => JSON.stringify(name)).join(', ')
  throw invalidField(`labels.${unknown}`, 'custom', `is no label of the inbox, which has ${has}`)
}

/** The parts that differ. */
function changesOf(before: Thread, after: Thread): readonly ThreadChange[] {
  return CHANGES.filter((part) => JSON.stringify(before[part]) !== JSON.stringify(after[part]))
}
