import type * as v from 'valibot'
import { invalidField } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { Mails } from '../mails/mails.ts'
import { InboxDraft } from '../ports/store/drafts.ts'
import type { Inbox } from '../ports/store/inboxes.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Repositories, Store } from '../ports/store/store.ts'
import type { InboxVisitor } from '../projects/caller.ts'
import { requireEnabled } from '../projects/project.ts'
import type { UntrustedInput } from '../values/input.ts'
import { parse } from '../values/parse.ts'
import { made } from '../values/record.ts'
import { forwardedFiles } from './draft-files.ts'
import type { Answered } from './draft-mail.ts'
import { CreateDraft, type CreateDraftInput } from './draft-request.ts'
import { namedInbox, requireRight } from './inbox.ts'
import { recipientsOf } from './recipients.ts'
import { markedSubject } from './subjects.ts'

type ForwardedFiles = Awaited<ReturnType<typeof forwardedFiles>>
const NO_FILES: ForwardedFiles = { files: [] }

/** A draft that is not stored yet, with the files of the mail it forwards. */
export interface NewDraft {
  readonly draft: InboxDraft
  readonly files: ForwardedFiles['files']
}

/** Where a draft is made. */
interface DraftSource {
  readonly store: Store
  readonly mails: Mails
  readonly kit: Kit
}

/**
 * The draft that a request asks for, to be stored by `insertDraft`. An answer that names no recipients and no subject has those that
 * follow from the message. Throws EngineError `VALIDATION_ERROR`, `INBOX_NOT_FOUND`, `FORBIDDEN`, `PROJECT_DISABLED`.
 */
export async function newDraft(
  { store, mails, kit }: DraftSource,
  project: Project,
  inboxId: string,
  input: CreateDraftInput | UntrustedInput,
  by: InboxVisitor,
): Promise<NewDraft> {
  requireEnabled(project)
  requireRight(by, 'draft')
  const wanted = parse(CreateDraft, input)
  const inbox = await namedInbox(store, project.id, inboxId, by)
  const { kind, messageId } = wanted
  if ((kind === 'new') !== (messageId == null)) {
    throw invalidField(
      'messageId',
      kind === 'new' ? 'custom' : 'required',
      kind === 'new' ? 'is for an answer or a forward: give its kind, too' : `is required for the kind ${kind}`,
    )
  }
  const answered = messageId == null ? undefined : await answeredMessage({ store, mails }, project, inbox, messageId)
  const { files, ...attached } =
    answered && kind === 'forward' ? await forwardedFiles(store, answered.message.email, kit) : NO_FILES
  const now = kit.now()
  const draft: InboxDraft = {
    id: kit.newId(),
    projectId: project.id,
    inboxId: inbox.id,
    ...(answered === undefined || kind === 'forward' ? undefined : { threadId: answered.mail.threadId }),
    ...made(InboxDraft, wanted),
    ...filled(inbox, wanted, answered),
    ...attached,
    status: 'open',
    ...(by.authorId === undefined ? undefined : { authorId: by.authorId }),
    authorName: by.authorName,
    version: 1,
    createdAt: now,
    updatedAt: now,
  }
  return { draft, files }
}

/** Stores a new draft, inside a transaction. */
export async function insertDraft(tx: Repositories, { draft, files }: NewDraft): Promise<void> {
  await tx.inboxDrafts.insert(draft)
  if (files.length > 0) await tx.draftAttachments.add(draft.projectId, draft.id, files)
}

/** The message that a draft is about. Throws EngineError `VALIDATION_ERROR` when it is in no thread of the inbox. */
export async function answeredMessage(
  { store, mails }: Omit<DraftSource, 'kit'>,
  project: Project,
  inbox: Inbox,
  id: string,
): Promise<Answered> {
  const mail = (await store.threadMails.of(project.id, id)).find(({ inboxId }) => inboxId === inbox.id)
  const [message] = mail === undefined ? [] : await mails.messages(project, [id])
  if (mail && message) return { message, mail }
  throw invalidField('messageId', 'custom', 'is no message in a thread of this inbox')
}

/** The fields that a request leaves out and the message gives. */
function filled(
  inbox: Inbox,
  { kind, to, cc, bcc, subject }: v.InferOutput<typeof CreateDraft>,
  answered: Answered | undefined,
): Pick<InboxDraft, 'to' | 'cc' | 'bcc' | 'subject'> {
  const message = answered?.message
  const own = new Set([inbox.address, ...(message?.received?.recipients ?? [])])
  const found = recipientsOf(kind, message, own)
  const isAsked = (to?.length ?? 0) + (cc?.length ?? 0) > 0
  return {
    bcc: bcc ?? [],
    to: isAsked ? (to ?? []) : found.to,
    cc: isAsked ? (cc ?? []) : found.cc,
    subject: subject || (message ? markedSubject(kind === 'forward' ? 'Fwd' : 'Re', message.subject ?? '') : ''),
  }
}
