import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { InboxDraft } from '../ports/store/drafts.ts'
import type { Store } from '../ports/store/store.ts'
import type { ProjectId } from '../values/project-id.ts'
import { takeFilesBack } from './draft-files.ts'
import { missingDraft } from './draft-state.ts'
import { draftCame, noteEvents } from './note-events.ts'
import { recounted } from './recounted.ts'

/** See `InboxDrafts.undo`. `status` is that of the draft from now on: one that waits is for a person to approve. */
export function undoDraft(
  store: Store,
  kit: Kit,
  projectId: ProjectId,
  id: string,
  status: 'open' | 'waiting' = 'open',
): Promise<InboxDraft> {
  const now = kit.now()
  return store.transaction(async (tx) => {
    const draft = (await tx.inboxDrafts.lock(projectId, id)) ?? missingDraft(id)
    const { emailId, threadId, sendAt: _, ...rest } = draft
    if (emailId === undefined || threadId === undefined) {
      throw new EngineError('CONFLICT', 'The draft has not been sent: there is nothing to undo.')
    }
    if (!(await tx.mails.cancel(projectId, emailId, now))) {
      throw new EngineError('CONFLICT', 'The mail has gone out already, or is going out at this moment.', {
        suggestion: 'Send with undoSeconds, or a later sendAt, to have time to change your mind.',
      })
    }
    await tx.inboxes.lock(projectId, draft.inboxId)
    // a merge or a split may have moved it
    const mail = (await tx.threadMails.of(projectId, emailId)).find(({ inboxId }) => inboxId === draft.inboxId)
    const itsThread = mail?.threadId ?? threadId
    const thread = await tx.threads.lock(projectId, itsThread)
    await tx.threadMails.remove(projectId, itsThread, emailId)
    const left = thread === undefined ? 0 : (await recounted(tx, thread, now)).messageCount
    if (left === 0) await tx.threads.remove(projectId, itsThread)
    const open: InboxDraft = {
      ...rest,
      ...(left === 0 ? undefined : { threadId: itsThread }),
      status,
      version: draft.version + 1,
      updatedAt: now,
    }
    await tx.inboxDrafts.update(open)
    await takeFilesBack(tx, open, emailId)
    const inbox = { id: open.inboxId, projectId }
    const waits = status === 'waiting' ? [draftCame(inbox, 'Waiting', open)] : []
    await noteEvents(tx, [draftCame(inbox, 'Undone', { ...open, emailId }), ...waits], kit)
    return open
  })
}
