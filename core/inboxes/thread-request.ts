import * as v from 'valibot'
import { FOLDERS, Thread } from '../ports/store/threads.ts'
import type { InputOf } from '../values/input.ts'
import { listOf } from '../values/list.ts'
import { CursorQuery } from '../values/page.ts'
import { changing } from '../values/record.ts'
import { TrueOrFalse } from '../values/true-or-false.ts'

/** How many messages one request moves. */
const MOST_MOVED = 100

const Uuid = v.pipe(v.string(), v.uuid('must be a UUID'))

export const ListThreads = v.object({
  ...CursorQuery.entries,
  /** The folder; by default `inbox`. `all`: every folder but `spam` and `trash`. */
  folder: v.optional(v.picklist([...FOLDERS, 'all']), 'inbox'),
  /** A label. */
  label: v.optional(v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(40))),
  /** The id of the user who takes care of it; `none`: those without one. */
  assignee: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(100))),
  /** True: only those with messages that the caller has not read. */
  unread: v.optional(TrueOrFalse),
  /** A part of the name or address of a participant. */
  participant: v.optional(v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(254))),
})

export const ChangeThread = v.object({
  ...changing(Thread).entries,
  /** Whether the caller has read it: true until its last message, false makes it unread. */
  read: v.optional(v.boolean()),
})

export const MergeThread = v.object({
  /** The id of the thread that takes its messages and notes; it is in the same inbox. */
  into: Uuid,
})

export const SplitThread = v.object({
  /** The ids of the messages that begin a thread of their own: not all of the thread. */
  messageIds: listOf(Uuid, 1, MOST_MOVED),
})

export const AddNote = v.object({
  /** The words, at most 10,000 characters. They never leave the house. */
  text: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(10_000)),
})

/** Which threads of an inbox. */
export interface ListThreadsInput extends InputOf<typeof ListThreads> {}
/** The fields of a thread to change. */
export interface ChangeThreadInput extends InputOf<typeof ChangeThread> {}
/** Where a thread is merged into. */
export interface MergeThreadInput extends InputOf<typeof MergeThread> {}
/** The messages that begin a thread of their own. */
export interface SplitThreadInput extends InputOf<typeof SplitThread> {}
/** A note of the team. */
export interface AddNoteInput extends InputOf<typeof AddNote> {}
