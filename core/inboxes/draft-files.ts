import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import { fitting, readAttachment, withFile } from '../mails/attached-file.ts'
import type { AttachmentInput } from '../mails/attachment-input.ts'
import type { DraftAttachment, DraftFile } from '../ports/store/draft-attachments.ts'
import type { InboxDraft } from '../ports/store/drafts.ts'
import type { Email } from '../ports/store/emails.ts'
import type { Repositories, Store } from '../ports/store/store.ts'
import type { InboxVisitor } from '../projects/caller.ts'
import type { UntrustedInput } from '../values/input.ts'
import type { ProjectId } from '../values/project-id.ts'
import { nextVersion } from '../values/record-version.ts'
import { changeable, missingDraft, requireUnsent } from './draft-state.ts'

/** A MIME type as a mail may name it. */
const TYPE = /^[\w!#$&^.+-]{1,120}\/[\w!#$&^.+-]{1,120}$/

/** A file of a draft with its bytes. */
export interface ReadDraftFile extends DraftAttachment {
  /** The bytes of the file. */
  readonly bytes: Uint8Array
}

/** See `InboxDrafts.attach`. */
export async function attachToDraft(
  store: Store,
  { now, newId }: Kit,
  projectId: ProjectId,
  id: string,
  input: AttachmentInput | UntrustedInput,
  by: InboxVisitor,
): Promise<InboxDraft> {
  const { bytes, ...named } = readAttachment(input)
  const added = { id: newId(), ...named }
  return store.transaction(async (tx) => {
    const before = requireUnsent((await tx.inboxDrafts.lock(projectId, id)) ?? missingDraft(id))
    const attachments = withFile(before.attachments ?? [], added)
    const version = nextVersion('draft', before, undefined)
    const draft = { ...changeable(before, by), attachments, version, updatedAt: now() }
    await tx.inboxDrafts.update(draft)
    await tx.draftAttachments.add(projectId, id, [{ id: added.id, bytes }])
    return draft
  })
}

/** See `InboxDrafts.detach`. */
export function detachFromDraft(
  store: Store,
  { now }: Kit,
  projectId: ProjectId,
  id: string,
  fileId: string,
  by: InboxVisitor,
): Promise<InboxDraft> {
  return store.transaction(async (tx) => {
    const before = requireUnsent((await tx.inboxDrafts.lock(projectId, id)) ?? missingDraft(id))
    const { attachments = [], ...others } = changeable(before, by)
    const left = attachments.filter((each) => each.id !== fileId)
    if (left.length === attachments.length) return missingFile(fileId)
    const rest = left.length === 0 ? undefined : { attachments: left }
    const draft = { ...others, ...rest, version: nextVersion('draft', before, undefined), updatedAt: now() }
    await tx.inboxDrafts.update(draft)
    await tx.draftAttachments.remove(projectId, id, [fileId])
    return draft
  })
}

/** See `InboxDrafts.file`. Those of a sent draft are in its mail. */
export async function fileOfDraft(store: Store, draft: InboxDraft, fileId: string): Promise<ReadDraftFile> {
  const found = draft.attachments?.find(({ id }) => id === fileId) ?? missingFile(fileId)
  const files = draft.emailId === undefined ? undefined : await filesOfMail(store, draft, draft.emailId)
  const bytes = (files ?? (await store.draftAttachments.bytes(draft.projectId, draft.id, [fileId]))).get(fileId)
  return bytes === undefined ? missingFile(fileId) : { ...found, bytes }
}

/** The files of the draft as they are sent. */
export async function attachedTo(
  store: Store,
  { projectId, id: draftId, attachments = [] }: InboxDraft,
): Promise<readonly AttachmentInput[]> {
  if (attachments.length === 0) return []
  const bytes = await store.draftAttachments.bytes(projectId, draftId)
  return attachments.map(({ id, size: _size, ...file }) => {
    return { ...file, content: Buffer.from(bytes.get(id) ?? missingFile(id)).toString('base64') }
  })
}

/** The files that a forward takes along: those of the message as far as they fit into one mail. */
export async function forwardedFiles(
  store: Store,
  { contentId }: Pick<Email, 'contentId'>,
  { newId }: Kit,
): Promise<Pick<InboxDraft, 'attachments' | 'omittedFiles'> & { readonly files: readonly DraftFile[] }> {
  const [content] = await store.emails.contents([contentId])
  // the one file of a submitted message is the message itself
  const all = content === undefined || content.submitted ? [] : content.attachments
  const { kept, omitted } = fitting(all.map((file) => ({ ...file, size: file.bytes.length, id: newId() })))
  // only the plain text is quoted, in which no picture has a place
  const attachments = kept.map(({ id, filename, contentType, size }) => ({
    id,
    filename:
      filename
        .replaceAll(/["'\p{Cc}]/gu, ' ')
        .trim()
        .slice(0, 255) || 'file',
    contentType: TYPE.test(contentType) ? contentType : 'application/octet-stream',
    disposition: 'attachment' as const,
    size,
  }))
  return {
    ...(attachments.length === 0 ? undefined : { attachments }),
    ...(omitted === 0 ? undefined : { omittedFiles: omitted }),
    files: kept.map(({ id, bytes }) => ({ id, bytes })),
  }
}

/** Gives the draft of a mail that was taken back its files again, within the transaction that opens it. */
export async function takeFilesBack(tx: Repositories, draft: InboxDraft, emailId: string): Promise<void> {
  const { attachments = [] } = draft
  if (attachments.length === 0) return
  const found = await filesOfMail(tx, draft, emailId)
  const files = attachments.flatMap(({ id }) => {
    const bytes = found.get(id)
    return bytes === undefined ? [] : [{ id, bytes }]
  })
  await tx.draftAttachments.add(draft.projectId, draft.id, files)
}

/** The bytes in the mail that a draft became, by the ids of the draft's files: they are in the same order. */
async function filesOfMail(
  { emails }: Pick<Repositories, 'emails'>,
  { projectId, attachments = [] }: InboxDraft,
  emailId: string,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const mail = await emails.find(projectId, emailId)
  const [content] = mail === undefined ? [] : await emails.contents([mail.contentId])
  return new Map(
    attachments.flatMap(({ id }, place) => {
      const bytes = content?.attachments[place]?.bytes
      return bytes === undefined ? [] : [[id, bytes] as const]
    }),
  )
}

/** Throws EngineError `RESOURCE_NOT_FOUND`. */
function missingFile(id: string): never {
  throw new EngineError('RESOURCE_NOT_FOUND', `The draft has no attachment ${id}.`)
}
