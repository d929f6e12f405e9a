import type * as v from 'valibot'
import type { DispatchTrigger } from '../events/dispatch-trigger.ts'
import type { Kit } from '../kit.ts'
import { messageIdOf } from '../mail/email.ts'
import type { AttachmentInput } from '../mails/attachment-input.ts'
import type { Mails } from '../mails/mails.ts'
import type { SendInput } from '../mails/send-request.ts'
import type { Sending } from '../mails/sending.ts'
import { InboxDraft } from '../ports/store/drafts.ts'
import type { Inbox } from '../ports/store/inboxes.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Store } from '../ports/store/store.ts'
import type { InboxVisitor } from '../projects/caller.ts'
import { requireEnabled } from '../projects/project.ts'
import { ENGINE } from '../templates/versions.ts'
import { retryConflicts } from '../values/conflict.ts'
import { isId } from '../values/id.ts'
import type { UntrustedInput } from '../values/input.ts'
import { type CursorInput, CursorQuery, type Page, pageOf, pageRequest } from '../values/page.ts'
import { parse } from '../values/parse.ts'
import { changed } from '../values/record.ts'
import { nextVersion, versionConflict } from '../values/record-version.ts'
import { needsApproval } from './approval.ts'
import { attachedTo, attachToDraft, detachFromDraft, fileOfDraft, type ReadDraftFile } from './draft-files.ts'
import { mailOf, requireWritten } from './draft-mail.ts'
import {
  ApproveDraft,
  type ApproveDraftInput,
  ChangeDraft,
  type ChangeDraftInput,
  type CreateDraftInput,
  RefuseDraft,
  type RefuseDraftInput,
  SendDraft,
  type SendDraftInput,
} from './draft-request.ts'
import { changeable, missingDraft, requireGoing, requirePerson, requireUnsent, requireWaiting } from './draft-state.ts'
import { fileSent } from './file-mails.ts'
import { countInHour } from './hourly.ts'
import { isSeenBy, namedInbox, requireRight } from './inbox.ts'
import { answeredMessage, insertDraft, newDraft } from './new-draft.ts'
import { type DraftStep, draftCame, noteEvents } from './note-events.ts'
import { undoDraft } from './undo-draft.ts'

/** How often accepting a mail is tried while other processes write about the same contacts. */
const TRIES = 5
/** The steps that a draft takes when a person approves it. */
const APPROVED: readonly DraftStep[] = ['Approved', 'Sent']

/** Mails that are being written in inboxes. `by` is who asks: see `Inboxes`. */
export class InboxDrafts {
  constructor(
    private readonly store: Store,
    private readonly mails: Mails,
    private readonly sending: Sending,
    private readonly dispatch: DispatchTrigger,
    private readonly kit: Kit,
  ) {}

  /** One page of the open drafts of an inbox, newest first. Throws EngineError `INBOX_NOT_FOUND`. */
  async list(
    project: Project,
    inboxId: string,
    query: CursorInput | UntrustedInput = {},
    by: InboxVisitor = ENGINE,
  ): Promise<Page<InboxDraft>> {
    const asked = parse(CursorQuery, query)
    const { id } = await namedInbox(this.store, project.id, inboxId, by)
    const list = { projectId: project.id, name: `drafts of ${id}` }
    const rows = await this.store.inboxDrafts.page(project.id, id, pageRequest(list, asked))
    const total = asked.cursor === undefined ? await this.store.inboxDrafts.count(project.id, id) : 0
    return pageOf(list, rows, asked.limit, total, (draft) => ({ value: '', id: draft.id }))
  }

  /** The draft. Throws EngineError `DRAFT_NOT_FOUND`. */
  async get(project: Project, id: string, by: InboxVisitor = ENGINE): Promise<InboxDraft> {
    return (await this.#find(project, id, by)).draft
  }

  /**
   * Begins a mail. An answer that names no recipients and no subject has those that follow from the message. Throws EngineError
   * `VALIDATION_ERROR`, `INBOX_NOT_FOUND`, `FORBIDDEN`, `PROJECT_DISABLED`.
   */
  async create(
    project: Project,
    inboxId: string,
    input: CreateDraftInput | UntrustedInput = {},
    by: InboxVisitor = ENGINE,
  ): Promise<InboxDraft> {
    const made = await newDraft(this.#source, project, inboxId, input, by)
    await this.store.transaction((tx) => insertDraft(tx, made))
    return made.draft
  }

  /**
   * Changes the given fields of an open draft. Throws EngineError `VALIDATION_ERROR`, `DRAFT_NOT_FOUND`, `CONFLICT` when it
   * was sent, `VERSION_CONFLICT`, `PROJECT_DISABLED`.
   */
  async change(
    project: Project,
    id: string,
    input: ChangeDraftInput | UntrustedInput,
    by: InboxVisitor = ENGINE,
  ): Promise<InboxDraft> {
    requireEnabled(project)
    requireRight(by, 'draft')
    const { version: seen, ...wanted } = parse(ChangeDraft, input)
    await this.#find(project, id, by)
    return this.store.transaction(async (tx) => {
      const before = requireUnsent((await tx.inboxDrafts.lock(project.id, id)) ?? missingDraft(id))
      const version = nextVersion('draft', before, seen)
      const written = changed(InboxDraft, changeable(before, by), wanted)
      const after = { ...written, version, updatedAt: this.kit.now() }
      await tx.inboxDrafts.update(after)
      return after
    })
  }

  /**
   * Adds a file to a draft; 10 files and 10 MB at most. Answers the draft. Throws EngineError `VALIDATION_ERROR`,
   * `DRAFT_NOT_FOUND`, `CONFLICT` when it was sent, `PROJECT_DISABLED`.
   */
  async attach(
    project: Project,
    id: string,
    input: AttachmentInput | UntrustedInput,
    by: InboxVisitor = ENGINE,
  ): Promise<InboxDraft> {
    requireEnabled(project)
    requireRight(by, 'draft')
    await this.#find(project, id, by)
    return attachToDraft(this.store, this.kit, project.id, id, input, by)
  }

  /** Takes a file away again. Throws EngineError `RESOURCE_NOT_FOUND`, and what `attach` does. */
  async detach(project: Project, id: string, fileId: string, by: InboxVisitor = ENGINE): Promise<InboxDraft> {
    requireEnabled(project)
    requireRight(by, 'draft')
    await this.#find(project, id, by)
    return detachFromDraft(this.store, this.kit, project.id, id, fileId, by)
  }

  /** A file of a draft with its bytes, also once it is sent. Throws EngineError `DRAFT_NOT_FOUND`, `RESOURCE_NOT_FOUND`. */
  async file(project: Project, id: string, fileId: string, by: InboxVisitor = ENGINE): Promise<ReadDraftFile> {
    return fileOfDraft(this.store, (await this.#find(project, id, by)).draft, fileId)
  }

  /** Throws it away. Throws EngineError `DRAFT_NOT_FOUND`, `CONFLICT` when it was sent, `PROJECT_DISABLED`. */
  async remove(project: Project, id: string, by: InboxVisitor = ENGINE): Promise<void> {
    requireEnabled(project)
    requireRight(by, 'draft')
    await this.#find(project, id, by)
    await this.store.transaction(async (tx) => {
      const draft = requireUnsent((await tx.inboxDrafts.lock(project.id, id)) ?? missingDraft(id))
      await tx.inboxDrafts.remove(project.id, id)
      await tx.draftAttachments.remove(project.id, id)
      await noteEvents(tx, [draftCame({ id: draft.inboxId, projectId: project.id }, 'Removed', draft)], this.kit)
    })
    this.dispatch.ask()
  }

  /**
   * Sends it, once: the mail is accepted and the draft marked in one commit, so that neither a second call nor a crash sends
   * another. A key whose mail needs approval gets the draft back as `waiting`. Throws EngineError `VALIDATION_ERROR`,
   * `DRAFT_NOT_FOUND`, `CONFLICT` when it was sent already, `VERSION_CONFLICT`, `DOMAIN_NOT_VERIFIED`, `QUOTA_EXCEEDED`,
   * `RATE_LIMIT_EXCEEDED`, `FORBIDDEN`, `PROJECT_DISABLED`; then nothing is sent.
   */
  async send(
    project: Project,
    id: string,
    input: SendDraftInput | UntrustedInput = {},
    by: InboxVisitor = ENGINE,
  ): Promise<InboxDraft> {
    requireEnabled(project)
    requireRight(by, 'send')
    const { version: seen, allowEmpty, ...when } = parse(SendDraft, input)
    const { draft, inbox } = await this.#find(project, id, by)
    requireUnsent(draft)
    if (seen != null && seen !== draft.version) throw versionConflict('draft', draft.version)
    if (!allowEmpty) requireWritten(draft)
    const thread = draft.threadId === undefined ? undefined : await this.store.threads.find(project.id, draft.threadId)
    if (needsApproval(inbox, draft, thread, by)) return this.#wait(project, draft)
    const counted = await countInHour(this.store, this.kit, by)
    try {
      return await this.#sent(project, inbox, draft, when, ['Sent'], by)
    } catch (error) {
      await counted?.()
      throw error
    }
  }

  /** One page of the drafts that wait for approval in the inboxes that the caller sees, newest first. */
  async waiting(
    project: Project,
    query: CursorInput | UntrustedInput = {},
    by: InboxVisitor = ENGINE,
  ): Promise<Page<InboxDraft>> {
    const asked = parse(CursorQuery, query)
    const list = { projectId: project.id, name: 'approvals' }
    const rows = await this.store.inboxDrafts.waiting(project.id, pageRequest(list, asked))
    const { items, ...page } = pageOf(list, rows, asked.limit, 0, (draft) => ({ value: '', id: draft.id }))
    const seen = new Map<string, boolean>()
    for (const { inboxId } of items) {
      if (seen.has(inboxId)) continue
      const inbox = await this.store.inboxes.find(project.id, inboxId)
      seen.set(inboxId, inbox !== undefined && isSeenBy(inbox, by))
    }
    return { ...page, items: items.filter(({ inboxId }) => seen.get(inboxId)) }
  }

  /**
   * Sends a draft that waits for approval, in the version that the person saw. A key can never approve. Throws as `send` does,
   * and `CONFLICT` when it does not wait.
   */
  async approve(
    project: Project,
    id: string,
    input: ApproveDraftInput | UntrustedInput,
    by: InboxVisitor = ENGINE,
  ): Promise<InboxDraft> {
    requireEnabled(project)
    requirePerson(by)
    const { version } = parse(ApproveDraft, input)
    const { draft, inbox } = await this.#find(project, id, by)
    requireWaiting(draft)
    if (version !== draft.version) throw versionConflict('draft', draft.version)
    return this.#sent(
      project,
      inbox,
      { ...draft, decidedBy: by.authorName },
      { undoSeconds: 0, sendAt: undefined },
      APPROVED,
      by,
    )
  }

  /**
   * Gives a draft that waits back to its author, with words that it can read. Throws EngineError `VALIDATION_ERROR`,
   * `DRAFT_NOT_FOUND`, `CONFLICT` when it does not wait, `FORBIDDEN` for a key, `PROJECT_DISABLED`.
   */
  async refuse(
    project: Project,
    id: string,
    input: RefuseDraftInput | UntrustedInput,
    by: InboxVisitor = ENGINE,
  ): Promise<InboxDraft> {
    requireEnabled(project)
    requirePerson(by)
    const { refusal } = parse(RefuseDraft, input)
    await this.#find(project, id, by)
    return this.#decide(project, id, 'Refused', (draft) => ({
      ...requireWaiting(draft),
      status: 'refused',
      refusal,
      decidedBy: by.authorName,
    }))
  }

  /** The draft of a key, waiting for a person; what was refused before is no more. */
  #wait(project: Project, { id, version }: InboxDraft): Promise<InboxDraft> {
    return this.#decide(project, id, 'Waiting', (draft) => {
      if (draft.version !== version) throw versionConflict('draft', draft.version)
      const { refusal: _refusal, decidedBy: _decidedBy, ...written } = requireUnsent(draft)
      return { ...written, status: 'waiting' }
    })
  }

  async #decide(
    project: Project,
    id: string,
    step: DraftStep,
    decide: (draft: InboxDraft) => InboxDraft,
  ): Promise<InboxDraft> {
    const decided = await this.store.transaction(async (tx) => {
      const after = {
        ...decide((await tx.inboxDrafts.lock(project.id, id)) ?? missingDraft(id)),
        updatedAt: this.kit.now(),
      }
      await tx.inboxDrafts.update(after)
      const inbox = { id: after.inboxId, projectId: project.id }
      await noteEvents(tx, [draftCame(inbox, step, after)], this.kit)
      return after
    })
    this.dispatch.ask()
    return decided
  }

  /** Accepts the mail of this draft as it was read, and marks the draft. */
  async #sent(
    project: Project,
    inbox: Inbox,
    draft: InboxDraft,
    { undoSeconds, sendAt }: Pick<v.InferOutput<typeof SendDraft>, 'undoSeconds' | 'sendAt'>,
    steps: readonly DraftStep[],
    by: InboxVisitor,
  ): Promise<InboxDraft> {
    const answered =
      draft.messageId === undefined ? undefined : await answeredMessage(this.#source, project, inbox, draft.messageId)
    const now = this.kit.now()
    const later = sendAt ?? (undoSeconds > 0 ? new Date(now.getTime() + undoSeconds * 1000) : undefined)
    const mail = mailOf(project, inbox, draft, answered)
    const attachments = await attachedTo(this.store, draft)
    const request: SendInput = { ...mail, attachments, ...(later ? { scheduledFor: later.toISOString() } : undefined) }
    const done = await this.sending.acceptWithin(project, request, (take) =>
      retryConflicts(TRIES, () =>
        this.store.transaction(async (tx) => {
          const locked = requireUnsent((await tx.inboxDrafts.lock(project.id, draft.id)) ?? missingDraft(draft.id))
          await requireGoing(tx, project, by)
          // it was made for what was read
          if (locked.version !== draft.version) throw versionConflict('draft', locked.version)
          const [accepted] = (await take(tx)).emails
          if (accepted === undefined) throw new Error('a mail was accepted without a record')
          await tx.inboxes.lock(project.id, inbox.id)
          const { changedFrom: _, ...own } = locked
          const { threadId } = own
          const message = {
            inbox,
            thread: threadId === undefined ? undefined : await tx.threads.find(project.id, threadId),
            emailId: accepted.email,
            messageId: messageIdOf(accepted.email, mail.from.email),
            at: now,
            subject: draft.subject,
            text: draft.body.replace(/<[^<>]{0,2000}>/g, ' '),
            to: [...draft.to, ...draft.cc],
          }
          const thread = await fileSent(tx, message, this.kit)
          const sent: InboxDraft = {
            ...own,
            ...(draft.decidedBy === undefined ? undefined : { decidedBy: draft.decidedBy }),
            status: 'sent',
            threadId: thread.id,
            emailId: accepted.email,
            sendAt: later ?? now,
            updatedAt: now,
          }
          await tx.inboxDrafts.update(sent)
          // the mail has them
          await tx.draftAttachments.remove(project.id, draft.id)
          await noteEvents(
            tx,
            steps.map((step) => draftCame(inbox, step, sent)),
            this.kit,
          )
          return sent
        }),
      ),
    )
    this.dispatch.ask()
    return done
  }

  /**
   * Takes a mail back that still waits, and opens its draft again. Throws EngineError `DRAFT_NOT_FOUND`, `CONFLICT` when it
   * was not sent, or has gone out already, `PROJECT_DISABLED`.
   */
  async undo(project: Project, id: string, by: InboxVisitor = ENGINE): Promise<InboxDraft> {
    requireEnabled(project)
    requireRight(by, 'send')
    await this.#find(project, id, by)
    const open = await undoDraft(this.store, this.kit, project.id, id)
    this.dispatch.ask()
    return open
  }

  get #source() {
    return { store: this.store, mails: this.mails, kit: this.kit }
  }

  async #find(
    project: Project,
    id: string,
    by: InboxVisitor,
  ): Promise<{ readonly draft: InboxDraft; readonly inbox: Inbox }> {
    const draft = isId(id) ? await this.store.inboxDrafts.find(project.id, id) : undefined
    const inbox = draft && (await this.store.inboxes.find(project.id, draft.inboxId))
    return inbox && isSeenBy(inbox, by) ? { draft, inbox } : missingDraft(id)
  }
}
