import * as v from 'valibot'
import { named } from '../../values/described.ts'
import { byDefault, count, id, json, label, list, moment, oneOf, orNull, text, words } from '../../values/kind.ts'
import type { PageRequest } from '../../values/page.ts'
import type { ProjectId } from '../../values/project-id.ts'
import { given, INTERNAL, owned, type RecordOf, record, TIMES } from '../../values/record.ts'
import type { Author } from './template-versions.ts'

/** Where a thread lies. */
export const FOLDERS = ['inbox', 'archive', 'sent', 'spam', 'trash'] as const
export type Folder = (typeof FOLDERS)[number]

/** An address that mail comes from or goes to, and the name beside it. */
export const Correspondent = named('Correspondent', v.object({ email: v.string(), name: v.exactOptional(v.string()) }))
export interface Correspondent extends v.InferOutput<typeof Correspondent> {}

/** How many participants a thread names. */
export const MAX_PARTICIPANTS = 50

/** A conversation in an inbox. */
export const Thread = record('Thread', 'A conversation in an inbox.', {
  ...owned('thread'),
  inboxId: [id, 'The inbox that it is in.'],
  subject: [words, 'The subject of its first message.'],
  subjectKey: [
    words,
    'The subject without marks of answers, by which answers without a reference are found.',
    INTERNAL,
  ],
  participants: [
    json<readonly Correspondent[]>(v.array(Correspondent)),
    'Who writes in it besides the inbox: the first 50, in the order in which they joined.',
  ],
  folder: [
    oneOf(FOLDERS),
    'Where it lies. A new message brings it back from `archive`, `sent` and `trash`.',
    given('change'),
  ],
  labels: [
    byDefault(list(label(40), 0, 50), []),
    'Its labels, by the names that the inbox gives them.',
    given('change'),
  ],
  assigneeId: [orNull(text(1, 100)), 'The id of the user who takes care of it.', given('change')],
  snippet: [words, 'The beginning of its last message.'],
  messageCount: [count, 'How many messages it has.'],
  lastMessageId: [id, 'The id of its last message, which is an e-mail record.'],
  lastMessageAt: [moment, 'When its last message came or was sent (ISO 8601, UTC).'],
  ...TIMES,
})
export interface Thread extends RecordOf<typeof Thread> {}

/** A mail in a thread. A mail to two inboxes is in a thread of each, stored once. */
export interface ThreadMail {
  /** The thread. */
  readonly threadId: string
  /** The e-mail record. */
  readonly emailId: string
  /** The inbox of the thread, in which the mail is once. */
  readonly inboxId: string
  /** The project that it belongs to. */
  readonly projectId: ProjectId
  /** Its Message-ID with angle brackets, by which answers name it; empty without one. */
  readonly messageId: string
  /** Whether it came from outside. */
  readonly incoming: boolean
  /** When it came, or was accepted. */
  readonly at: Date
  /** When its words came into the index; absent: not yet. */
  readonly indexedAt?: Date
}

/** A note of the team at a thread. It never leaves the house. */
export interface ThreadNote extends Author {
  /** A UUID (version 7). */
  readonly id: string
  /** The project that it belongs to. */
  readonly projectId: ProjectId
  /** The thread. */
  readonly threadId: string
  /** The words. */
  readonly text: string
  /** When it was written. */
  readonly createdAt: Date
}

/** Until when a user or a program has read a thread. */
export interface ThreadRead {
  /** The thread. */
  readonly threadId: string
  /** The id of the user or of the key; `engine` for calls of neither. */
  readonly readerId: string
  /** The project that it belongs to. */
  readonly projectId: ProjectId
  /** Messages until this time are read. */
  readonly readAt: Date
}

/** Which threads of an inbox. */
export interface ThreadFilter {
  /** The inbox. */
  readonly inboxId: string
  /** In one of these folders. */
  readonly folders: readonly Folder[]
  /** With this label. */
  readonly label?: string
  /** A user's id, or `none`. */
  readonly assigneeId?: string
  /** Only those in which this reader has not read the last message. */
  readonly unreadBy?: string
  /** A part of the address or name of a participant, in lower case. */
  readonly participant?: string
}

/** The threads of inboxes. */
export interface ThreadRepository {
  find(projectId: ProjectId, id: string): Promise<Thread | undefined>
  /** As `find`, inside a transaction, which locks the thread until it ends. */
  lock(projectId: ProjectId, id: string): Promise<Thread | undefined>
  /** Up to `limit + 1`, the one with the newest message first; a position is `lastMessageAt` (ISO 8601) and the id. */
  page(projectId: ProjectId, filter: ThreadFilter, page: PageRequest): Promise<readonly Thread[]>
  insert(thread: Thread): Promise<void>
  /** Writes every field; answers whether it is there. */
  update(thread: Thread): Promise<boolean>
  /** Removes the thread with its notes and with what was read of it; its open drafts belong to no thread then. */
  remove(projectId: ProjectId, id: string): Promise<boolean>
  /** The threads of this inbox that have one of these mails, by Message-ID or id, the latest message first. */
  withMail(projectId: ProjectId, inboxId: string, named: NamedMails): Promise<readonly Thread[]>
  /** Threads of an inbox with this subject and a message since then, the latest message first, at most 20. */
  withSubject(projectId: ProjectId, inboxId: string, subjectKey: string, since: Date): Promise<readonly Thread[]>

  /** Until when this reader has read these threads. */
  reads(projectId: ProjectId, threadIds: readonly string[], readerId: string): Promise<ReadonlyMap<string, Date>>
  /** Notes until when a thread is read; undefined: it is unread from now on. */
  read(read: Omit<ThreadRead, 'readAt'>, readAt: Date | undefined): Promise<void>
  /** Readers of both threads have read the second one once it has the mails of the first; all others have not. */
  joinReads(projectId: ProjectId, from: Thread, into: Thread): Promise<void>
  /** Readers of a thread have read another one as far, which gets some of its mails. */
  copyReads(projectId: ProjectId, from: string, to: string): Promise<void>
  /** How many threads in the folder `inbox` a reader has not read, by inbox, counted no further than `atMost` each. */
  unread(
    projectId: ProjectId,
    inboxIds: readonly string[],
    readerId: string,
    atMost: number,
  ): Promise<ReadonlyMap<string, number>>

  /**
   * Takes mails out of an inbox, inside the transaction that locks it, and counts its threads anew. Threads with nothing left go,
   * with all that is about them.
   */
  leave(projectId: ProjectId, inboxId: string, emailIds: readonly string[]): Promise<void>
  /** Removes up to `limit` threads of an inbox with all that is about them; answers how many. The mails stay. */
  removeOf(projectId: ProjectId, inboxId: string, limit: number): Promise<number>
}

/** The mails of threads. */
export interface ThreadMailRepository {
  /** Adds mails to threads; one that is in the inbox already stays where it is. Answers the ids of those that were added. */
  add(mails: readonly ThreadMail[]): Promise<ReadonlySet<string>>
  /** Up to `limit + 1` mails of a thread, newest first; a position is `at` (ISO 8601) and the mail's id. */
  page(projectId: ProjectId, threadId: string, page: PageRequest): Promise<readonly ThreadMail[]>
  /** The threads that a mail is in. */
  of(projectId: ProjectId, emailId: string): Promise<readonly ThreadMail[]>
  /** Up to `limit` mails of an inbox from before that do not wait any more, the oldest first, and whether another inbox has them, too. */
  old(
    projectId: ProjectId,
    inboxId: string,
    before: Date,
    limit: number,
  ): Promise<readonly { readonly emailId: string; readonly isElsewhere: boolean }[]>
  /** Mails with one of these names in inboxes of the project, the newest first, at most 20. */
  named(projectId: ProjectId, named: NamedMails): Promise<readonly ThreadMail[]>
  /** Moves mails of one thread to another of the same inbox; all of them without `emailIds`. Answers how many. */
  move(projectId: ProjectId, from: string, to: string, emailIds?: readonly string[]): Promise<number>
  /** Takes a mail out of a thread. */
  remove(projectId: ProjectId, threadId: string, emailId: string): Promise<void>
  /** How many mails a thread has. */
  count(projectId: ProjectId, threadId: string): Promise<number>
}

/** The notes of the team at threads. */
export interface ThreadNoteRepository {
  /** The notes of a thread, the oldest first, at most 200. */
  of(projectId: ProjectId, threadId: string): Promise<readonly ThreadNote[]>
  add(note: ThreadNote): Promise<void>
  remove(projectId: ProjectId, threadId: string, id: string): Promise<boolean>
  /** Moves notes to another thread. */
  move(projectId: ProjectId, from: string, to: string): Promise<void>
}

/** Mails that a message names. */
export interface NamedMails {
  /** Their Message-IDs, with angle brackets. */
  readonly messageIds: readonly string[]
  /** The ids of e-mail records. */
  readonly emailIds: readonly string[]
}
