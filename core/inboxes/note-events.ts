import type { EngineEventData } from '../events/engine-events.ts'
import type { Kit } from '../kit.ts'
import type { InboxDraft } from '../ports/store/drafts.ts'
import type { Inbox } from '../ports/store/inboxes.ts'
import type { Repositories } from '../ports/store/store.ts'
import type { Thread } from '../ports/store/threads.ts'
import { EVENTS } from '../values/event-names.ts'
import { stamp } from '../values/id.ts'
import type { JsonObject } from '../values/json.ts'

/** Something that happened in an inbox. */
export interface Happening {
  readonly inbox: Pick<Inbox, 'id' | 'projectId'>
  readonly name: string
  readonly data: JsonObject
  /** The contact that wrote, whom workflows then run for. */
  readonly contactId?: string | undefined
  /** The mail that it is about. */
  readonly emailId?: string | undefined
}

/**
 * Notes what happened for those who follow the inboxes and for webhooks, within the transaction that does it. Call it last:
 * the inboxes stay locked until the commit.
 */
export async function noteEvents(tx: Repositories, all: readonly Happening[], { newId, now }: Kit): Promise<void> {
  if (all.length === 0) return
  const at = now()
  await tx.inboxEvents.add(
    all.map(({ inbox, name, data }) => ({ inboxId: inbox.id, projectId: inbox.projectId, name, data, at })),
  )
  await tx.events.record(
    all.map(({ inbox, name, data, contactId, emailId }) => ({
      ...stamp(newId),
      projectId: inbox.projectId,
      name,
      ...(contactId === undefined ? undefined : { contactId }),
      ...(emailId === undefined ? undefined : { emailId }),
      data,
      ifAwaited: true as const,
    })),
  )
}

/** A message came in. */
export function received(
  inbox: Inbox,
  thread: Thread,
  { emailId, contactId, automatic }: { emailId: string; contactId: string | undefined; automatic: boolean },
): Happening {
  const { id: threadId, folder } = thread
  const data = { inboxId: inbox.id, threadId, emailId, folder, automatic }
  return {
    inbox,
    name: EVENTS.inboxMessage,
    data: data satisfies EngineEventData[typeof EVENTS.inboxMessage],
    contactId,
    emailId,
  }
}

/** A part of a thread that changed. */
export type ThreadChange = 'folder' | 'labels' | 'assigneeId' | 'merged' | 'split'

/** A thread was changed; `otherThreadId` is the one that messages came from or went to. */
export function updated(
  inbox: Pick<Inbox, 'id' | 'projectId'>,
  thread: Thread,
  changes: readonly ThreadChange[],
  otherThreadId?: string,
): Happening {
  const { id: threadId, folder, labels, assigneeId = null, messageCount } = thread
  const other = otherThreadId === undefined ? {} : { otherThreadId }
  const data = { inboxId: inbox.id, threadId, changes, folder, labels, assigneeId, messageCount, ...other }
  return { inbox, name: EVENTS.inboxThread, data: data satisfies EngineEventData[typeof EVENTS.inboxThread] }
}

/** How far a draft came. */
export type DraftStep = 'Waiting' | 'Approved' | 'Refused' | 'Sent' | 'Undone' | 'Removed'

/** A draft came so far. */
export function draftCame(inbox: Pick<Inbox, 'id' | 'projectId'>, step: DraftStep, draft: InboxDraft): Happening {
  const { id: draftId, threadId = null, authorId = null, emailId = null, sendAt, version } = draft
  const at = sendAt?.toISOString() ?? null
  const data = { inboxId: inbox.id, draftId, threadId, authorId, version, emailId, sendAt: at }
  return {
    inbox,
    name: EVENTS[`inboxDraft${step}`],
    data: data satisfies EngineEventData[typeof EVENTS.inboxDraftSent],
    ...(emailId === null ? undefined : { emailId }),
  }
}
