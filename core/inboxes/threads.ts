import { EngineError, invalidField } from '../errors.ts'
import type { DispatchTrigger } from '../events/dispatch-trigger.ts'
import type { Kit } from '../kit.ts'
import { newlyWritten, type Written } from '../mail/reply/newly-written.ts'
import type { MailMessage, Mails } from '../mails/mails.ts'
import type { InboxDraft } from '../ports/store/drafts.ts'
import type { Inbox } from '../ports/store/inboxes.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Repositories, Store } from '../ports/store/store.ts'
import type { Folder, Thread, ThreadMail, ThreadNote } from '../ports/store/threads.ts'
import type { InboxVisitor } from '../projects/caller.ts'
import { requireEnabled } from '../projects/project.ts'
import { ENGINE } from '../templates/versions.ts'
import { Conflict, retryConflicts } from '../values/conflict.ts'
import { definedOnly } from '../values/defined-only.ts'
import { isId, stamp } from '../values/id.ts'
import type { UntrustedInput } from '../values/input.ts'
import { type CursorInput, CursorQuery, type Page, pageOf, pageRequest } from '../values/page.ts'
import { parse } from '../values/parse.ts'
import { yieldToLoop } from '../values/yield-to-loop.ts'
import { isSeenBy, missingInbox, namedInbox, readerOf, requireRight } from './inbox.ts'
import { noteEvents, updated } from './note-events.ts'
import { recounted } from './recounted.ts'
import { subjectKey } from './subjects.ts'
import { changeThread, lockThread, missingThread } from './thread-changes.ts'
import {
  AddNote,
  type AddNoteInput,
  ChangeThread,
  type ChangeThreadInput,
  ListThreads,
  type ListThreadsInput,
  MergeThread,
  type MergeThreadInput,
  SplitThread,
  type SplitThreadInput,
} from './thread-request.ts'

/** The folders that `all` means. */
const ALL: readonly Folder[] = ['inbox', 'archive', 'sent']

/** How often a merge is tried while drafts are begun in the thread. */
const TRIES = 5

/** A thread, and whether the caller has read it. */
export interface ReadThread {
  /** The thread. */
  readonly thread: Thread
  /** Whether it has messages that the caller has not read. */
  readonly unread: boolean
}

/** A thread with what the team has noted at it. */
export interface ThreadDetail extends ReadThread {
  /** The notes, the oldest first. */
  readonly notes: readonly ThreadNote[]
}

/** A message of a thread. */
export interface ThreadMessage extends MailMessage {
  /** Whether it came from outside. */
  readonly incoming: boolean
  /** When it came, or was accepted. */
  readonly at: Date
  /** The part that its author newly wrote, without quotes and signatures; empty when its text was removed. */
  readonly written: Written
}

/** The conversations of inboxes. `by` is who asks: see `Inboxes`. */
export class Threads {
  constructor(
    private readonly store: Store,
    private readonly mails: Mails,
    private readonly dispatch: DispatchTrigger,
    private readonly kit: Kit,
  ) {}

  /** One page of an inbox's threads, the one with the newest message first. Throws EngineError `INBOX_NOT_FOUND`. */
  async list(
    project: Project,
    inboxId: string,
    query: ListThreadsInput | UntrustedInput = {},
    by: InboxVisitor = ENGINE,
  ): Promise<Page<ReadThread>> {
    const { limit, cursor, folder, label, assignee, unread, participant } = parse(ListThreads, query)
    const { id } = await namedInbox(this.store, project.id, inboxId, by)
    const filter = {
      inboxId: id,
      folders: folder === 'all' ? ALL : [folder],
      ...definedOnly({ label, assigneeId: assignee, participant: participant?.toLowerCase() }),
      ...(unread ? { unreadBy: readerOf(by) } : {}),
    }
    const list = { projectId: project.id, name: `threads of ${id}`, isByValue: true }
    const rows = await this.store.threads.page(project.id, filter, pageRequest(list, { limit, cursor }))
    const page = pageOf(list, rows, limit, 0, ({ lastMessageAt, id }) => ({ value: lastMessageAt.toISOString(), id }))
    return { ...page, items: await this.#read(project, page.items, by) }
  }

  /** The thread with its notes. Throws EngineError `THREAD_NOT_FOUND`. */
  async get(project: Project, id: string, by: InboxVisitor = ENGINE): Promise<ThreadDetail> {
    const { thread } = await this.#find(this.store, project, id, by)
    return this.#detail(project, thread, by)
  }

  /** One page of its messages with their texts, the newest first. Throws EngineError `THREAD_NOT_FOUND`. */
  async messages(
    project: Project,
    id: string,
    query: CursorInput | UntrustedInput = {},
    by: InboxVisitor = ENGINE,
  ): Promise<Page<ThreadMessage>> {
    const asked = parse(CursorQuery, query)
    const { thread } = await this.#find(this.store, project, id, by)
    const list = { projectId: project.id, name: `messages of ${thread.id}`, isByValue: true }
    const rows = await this.store.threadMails.page(project.id, thread.id, pageRequest(list, asked))
    const { items, ...page } = pageOf(list, rows, asked.limit, thread.messageCount, positionOf)
    const texts = await this.mails.messages(
      project,
      items.map(({ emailId }) => emailId),
    )
    const byId = new Map(items.map((mail) => [mail.emailId, mail]))
    const messages: ThreadMessage[] = []
    for (const message of texts) {
      const mail = byId.get(message.email.id)
      if (mail === undefined) continue
      const { text = '', html = '' } = message
      messages.push({ ...message, incoming: mail.incoming, at: mail.at, written: newlyWritten({ text, html }) })
      await yieldToLoop()
    }
    return { ...page, total: asked.cursor === undefined ? thread.messageCount : 0, items: messages }
  }

  /**
   * Changes the given fields. Labels have to be those of the inbox, or of the thread. Throws EngineError `VALIDATION_ERROR`,
   * `THREAD_NOT_FOUND`, `PROJECT_DISABLED`.
   */
  async change(
    project: Project,
    id: string,
    input: ChangeThreadInput | UntrustedInput,
    by: InboxVisitor = ENGINE,
  ): Promise<ThreadDetail> {
    requireEnabled(project)
    const { read, ...wanted } = parse(ChangeThread, input)
    const isOrganised = Object.keys(definedOnly(wanted)).length > 0
    requireRight(by, isOrganised ? 'organise' : 'read')
    const { inbox } = await this.#find(this.store, project, id, by)
    const thread = await this.store.transaction(async (tx) => {
      const locked = isOrganised
        ? await lockThread(tx, project.id, inbox.id, id)
        : { inbox, thread: (await tx.threads.lock(project.id, id)) ?? missingThread(id) }
      const reader = { threadId: id, readerId: readerOf(by), projectId: project.id }
      if (read !== undefined) await tx.threads.read(reader, read ? locked.thread.lastMessageAt : undefined)
      // last: the inbox stays locked until the commit
      const after = await changeThread(tx, locked, wanted, this.kit)
      return after
    })
    if (isOrganised) this.dispatch.ask()
    return this.#detail(project, thread, by)
  }

  /**
   * Moves all messages, notes and drafts of a thread into another one of the same inbox, and removes it. Throws EngineError
   * `THREAD_NOT_FOUND`, `VALIDATION_ERROR`, `PROJECT_DISABLED`.
   */
  async merge(
    project: Project,
    id: string,
    input: MergeThreadInput | UntrustedInput,
    by: InboxVisitor = ENGINE,
  ): Promise<ThreadDetail> {
    requireEnabled(project)
    requireRight(by, 'organise')
    const { into } = parse(MergeThread, input)
    if (into === id) throw invalidField('into', 'custom', 'is the thread itself')
    const { inbox } = await this.#find(this.store, project, id, by)
    const merge = async (tx: Repositories) => {
      // drafts before their inbox, in the order of those that are sent or decided on
      const drafts = new Map<string, InboxDraft | undefined>()
      for (const draft of await tx.inboxDrafts.ofThread(project.id, id))
        drafts.set(draft.id, await tx.inboxDrafts.lock(project.id, draft.id))
      // received messages come in behind the same lock
      await tx.inboxes.lock(project.id, inbox.id)
      const [from, to] = [await tx.threads.lock(project.id, id), await tx.threads.lock(project.id, into)]
      if (from === undefined) return missingThread(id)
      if (to === undefined || to.inboxId !== from.inboxId) {
        throw invalidField('into', 'custom', 'is no thread of the same inbox')
      }
      await tx.threadMails.move(project.id, from.id, to.id)
      await tx.threadNotes.move(project.id, from.id, to.id)
      for (const { id: draftId } of await tx.inboxDrafts.ofThread(project.id, from.id)) {
        // one that was begun meanwhile would have to be locked first
        const draft = drafts.get(draftId)
        if (draft === undefined) throw new Conflict()
        await tx.inboxDrafts.update({ ...draft, threadId: to.id })
      }
      await tx.threads.joinReads(project.id, from, to)
      await tx.threads.remove(project.id, from.id)
      const last = from.lastMessageAt > to.lastMessageAt ? from : to
      const others = from.participants.filter(({ email }) => !to.participants.some((known) => known.email === email))
      const whole = await recounted(
        tx,
        {
          ...to,
          participants: [...to.participants, ...others].slice(0, 50),
          labels: [...new Set([...to.labels, ...from.labels])].slice(0, 50),
          snippet: last.snippet,
          lastMessageId: last.lastMessageId,
          lastMessageAt: last.lastMessageAt,
        },
        this.kit.now(),
      )
      await noteEvents(tx, [updated(inbox, whole, ['merged'], from.id)], this.kit)
      return whole
    }
    const merged = await retryConflicts(TRIES, () => this.store.transaction(merge))
    this.dispatch.ask()
    return this.#detail(project, merged, by)
  }

  /**
   * Makes a new thread of some messages of this one, and answers it. Later answers to them go there. Throws EngineError
   * `THREAD_NOT_FOUND`, `VALIDATION_ERROR` (none of its messages, or all of them), `PROJECT_DISABLED`.
   */
  async split(
    project: Project,
    id: string,
    input: SplitThreadInput | UntrustedInput,
    by: InboxVisitor = ENGINE,
  ): Promise<ThreadDetail> {
    requireEnabled(project)
    requireRight(by, 'organise')
    const emailIds = [...new Set(parse(SplitThread, input).messageIds)]
    const { inbox } = await this.#find(this.store, project, id, by)
    const [first] = await this.mails.messages(project, emailIds)
    const thread = await this.store.transaction(async (tx) => {
      await tx.inboxes.lock(project.id, inbox.id)
      const from = (await tx.threads.lock(project.id, id)) ?? missingThread(id)
      const subject = first?.subject ?? from.subject
      const now = this.kit.now()
      const made: Thread = {
        ...from,
        id: this.kit.newId(),
        subject,
        subjectKey: subjectKey(subject),
        createdAt: now,
        updatedAt: now,
      }
      const moved = await tx.threadMails.move(project.id, from.id, made.id, emailIds)
      if (moved < emailIds.length)
        throw invalidField('messageIds', 'custom', 'names messages that the thread does not have')
      if (moved === from.messageCount) throw invalidField('messageIds', 'custom', 'names all messages of the thread')
      await tx.threads.insert(made)
      await tx.threads.copyReads(project.id, from.id, made.id)
      const [left, split] = [await recounted(tx, from, now), await recounted(tx, made, now)]
      await noteEvents(tx, [updated(inbox, left, ['split'], split.id)], this.kit)
      return split
    })
    this.dispatch.ask()
    return this.#detail(project, thread, by)
  }

  /** Notes something at a thread; it never leaves the house. Throws EngineError `THREAD_NOT_FOUND`, `PROJECT_DISABLED`. */
  async note(
    project: Project,
    id: string,
    input: AddNoteInput | UntrustedInput,
    by: InboxVisitor = ENGINE,
  ): Promise<ThreadNote> {
    requireEnabled(project)
    requireRight(by, 'organise')
    const { text } = parse(AddNote, input)
    const { thread } = await this.#find(this.store, project, id, by)
    const { authorType, authorId, authorName } = by
    const author = { authorType, authorName, ...(authorId === undefined ? undefined : { authorId }) }
    const note = { ...stamp(this.kit.newId), projectId: project.id, threadId: thread.id, text, ...author }
    await this.store.threadNotes.add(note)
    return note
  }

  /** Removes a note. Throws EngineError `THREAD_NOT_FOUND`, `RESOURCE_NOT_FOUND`, `PROJECT_DISABLED`. */
  async removeNote(project: Project, id: string, noteId: string, by: InboxVisitor = ENGINE): Promise<void> {
    requireEnabled(project)
    requireRight(by, 'organise')
    const { thread } = await this.#find(this.store, project, id, by)
    if (isId(noteId) && (await this.store.threadNotes.remove(project.id, thread.id, noteId))) return
    throw new EngineError('RESOURCE_NOT_FOUND', `The thread has no note ${noteId}.`)
  }

  async #find(
    reads: Repositories,
    project: Project,
    id: string,
    by: InboxVisitor,
  ): Promise<{ readonly thread: Thread; readonly inbox: Inbox }> {
    const thread = isId(id) ? await reads.threads.find(project.id, id) : undefined
    if (thread === undefined) return missingThread(id)
    const inbox = (await reads.inboxes.find(project.id, thread.inboxId)) ?? missingInbox(thread.inboxId)
    return isSeenBy(inbox, by) ? { thread, inbox } : missingThread(id)
  }

  async #detail(project: Project, thread: Thread, by: InboxVisitor): Promise<ThreadDetail> {
    const [read] = await this.#read(project, [thread], by)
    return { ...(read ?? { thread, unread: true }), notes: await this.store.threadNotes.of(project.id, thread.id) }
  }

  async #read(project: Project, threads: readonly Thread[], by: InboxVisitor): Promise<readonly ReadThread[]> {
    const ids = threads.map(({ id }) => id)
    const reads = await this.store.threads.reads(project.id, ids, readerOf(by))
    return threads.map((thread) => {
      const readAt = reads.get(thread.id)
      return { thread, unread: readAt === undefined || readAt < thread.lastMessageAt }
    })
  }
}

function positionOf({ at, emailId }: ThreadMail) {
  return { value: at.toISOString(), id: emailId }
}
