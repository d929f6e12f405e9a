import type { Repositories } from '../ports/store/store.ts'
import type { Thread } from '../ports/store/threads.ts'

/**
 * Writes the figures of the messages that a locked thread has now, within the transaction that moved some; answers the thread.
 * Its beginning is shown only until another message is the last.
 */
export async function recounted(tx: Repositories, thread: Thread, now: Date): Promise<Thread> {
  const { projectId, id } = thread
  const messageCount = await tx.threadMails.count(projectId, id)
  const [last] = await tx.threadMails.page(projectId, id, { limit: 1 })
  const isOther = last !== undefined && last.emailId !== thread.lastMessageId
  const after: Thread = {
    ...thread,
    messageCount,
    ...(isOther ? { lastMessageId: last.emailId, lastMessageAt: last.at, snippet: '' } : undefined),
    updatedAt: now,
  }
  await tx.threads.update(after)
  return after
}
