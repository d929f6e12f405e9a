import type { Kit } from '../kit.ts'
import { headerFields } from '../mail/mime/message-header.ts'
import type { Mails } from '../mails/mails.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Store } from '../ports/store/store.ts'
import { fileSent, namesIn } from './file-mails.ts'

/**
 * Puts mails that were sent by another way into the threads that have a message they name. It comes after their commit: where a
 * crash falls between, they join with the next answer, as all mails do that are named. It never throws.
 */
export async function joinThreads(
  { store, mails, kit }: { readonly store: Store; readonly mails: Mails; readonly kit: Kit },
  project: Project,
  emailIds: readonly string[],
): Promise<void> {
  try {
    for (const emailId of emailIds) await joinOne({ store, mails, kit }, project, emailId)
  } catch (error) {
    kit.log.warn('mails have not joined the threads of what they answer', { project: project.id, error })
  }
}

async function joinOne(
  { store, mails, kit }: { readonly store: Store; readonly mails: Mails; readonly kit: Kit },
  project: Project,
  emailId: string,
): Promise<void> {
  const email = await store.emails.find(project.id, emailId)
  const [content] = email === undefined ? [] : await store.emails.contents([email.contentId])
  if (email === undefined || content === undefined) return
  const written = content.submitted && headerFields(content.submitted.header)
  const names = namesIn(written?.map(({ name, value }) => [name, value] as const) ?? content.headers)
  if (names.messageIds.length === 0) return
  const named = await store.threadMails.named(project.id, names)
  if (named.length === 0) return
  const [message] = await mails.messages(project, [emailId])
  if (message === undefined) return
  const to = [{ email: email.to, ...(email.toName === undefined ? undefined : { name: email.toName }) }]
  // the newest of each inbox
  const threads = new Map(named.toReversed().map(({ inboxId, threadId }) => [inboxId, threadId]))
  for (const [inboxId, threadId] of threads) {
    await store.transaction(async (tx) => {
      const inbox = await tx.inboxes.lock(project.id, inboxId)
      const thread = await tx.threads.find(project.id, threadId)
      if (inbox === undefined || thread === undefined) return
      // an answer may have brought it meanwhile
      if ((await tx.threadMails.of(project.id, emailId)).some((mail) => mail.inboxId === inboxId)) return
      const { messageId, subject = '', text = '' } = message
      await fileSent(tx, { inbox, thread, emailId, messageId, at: email.createdAt, subject, text, to }, kit)
    })
  }
}
