import { SearchThreads } from '../../core/inboxes/search.ts'
import { AddNote, ChangeThread, ListThreads, MergeThread, SplitThread } from '../../core/inboxes/thread-request.ts'
import { inboxVisitorOf } from '../../core/projects/caller.ts'
import { CursorQuery } from '../../core/values/page.ts'
import {
  FoundThreadAnswer,
  ThreadAnswer,
  ThreadDetailAnswer,
  ThreadMessageAnswer,
  ThreadNoteAnswer,
} from '../answers/inboxes.ts'
import { cursorList, listed } from '../answers/lists.ts'
import { created, type KeyRoute, noContent, ok } from '../http/route.ts'
import { EXAMPLE_IDS } from '../openapi/example-ids.ts'

/** The conversations of inboxes. */
export const threadRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/inboxes/:id/threads',
    operation: 'listThreads',
    summary: 'List the threads of an inbox',
    description: 'The one with the newest message first; `total` is not counted. All filters may be combined.',
    access: 'secret',
    area: 'inboxes',
    takes: { query: ListThreads },
    gives: { 200: cursorList(ThreadAnswer.schema) },
    examples: [
      { query: { limit: 50 } },
      { summary: 'What nobody takes care of', query: { assignee: 'none', unread: true } },
    ],
    async handle(engine, request) {
      const { caller, query } = request
      const page = await engine.inboxes.threads.list(caller.project, request.param('id'), query, inboxVisitorOf(caller))
      return ok(listed(page, ThreadAnswer.of))
    },
  },
  {
    method: 'GET',
    path: '/threads',
    operation: 'searchThreads',
    summary: 'Find threads by their words',
    description:
      'Those with a mail that has all words of `q`, in its subject, its people, its text or the names of its files: the best first, over all inboxes that the caller sees. Case and accents do not count; `"…"` is a phrase, and `*` goes on. There is one page. Mail is found some seconds after it came.',
    access: 'secret',
    area: 'inboxes',
    takes: { query: SearchThreads },
    gives: { 200: cursorList(FoundThreadAnswer.schema) },
    examples: [{ query: { q: '"blue one" ada' } }],
    async handle(engine, { caller, query }) {
      const items = await engine.inboxes.search.find(caller.project, query, inboxVisitorOf(caller))
      return ok(listed({ items, cursor: undefined, total: items.length }, FoundThreadAnswer.of))
    },
  },
  {
    method: 'GET',
    path: '/threads/:id',
    operation: 'getThread',
    summary: 'Get a thread with its notes',
    description: 'Its messages are `GET /threads/{id}/messages`.',
    access: 'secret',
    area: 'inboxes',
    gives: { 200: ThreadDetailAnswer.schema },
    async handle(engine, request) {
      const { caller } = request
      const thread = await engine.inboxes.threads.get(caller.project, request.param('id'), inboxVisitorOf(caller))
      return ok(ThreadDetailAnswer.of(thread))
    },
  },
  {
    method: 'GET',
    path: '/threads/:id/messages',
    operation: 'listThreadMessages',
    summary: 'List the messages of a thread',
    description:
      'With their texts, the newest first, over both directions: also mail that was sent by the API, a campaign or a workflow.',
    access: 'secret',
    area: 'inboxes',
    takes: { query: CursorQuery },
    gives: { 200: cursorList(ThreadMessageAnswer.schema) },
    async handle(engine, request) {
      const { caller, query } = request
      const page = await engine.inboxes.threads.messages(
        caller.project,
        request.param('id'),
        query,
        inboxVisitorOf(caller),
      )
      return ok(listed(page, ThreadMessageAnswer.of))
    },
  },
  {
    method: 'PATCH',
    path: '/threads/:id',
    operation: 'changeThread',
    summary: 'Move, label, assign or read a thread',
    description: '`read` is for the caller alone; everything else is for all who see the inbox.',
    access: 'secret',
    audit: 'people',
    body: 'json',
    takes: { body: ChangeThread },
    gives: { 200: ThreadDetailAnswer.schema },
    examples: [{ body: { folder: 'archive', read: true } }],
    async handle(engine, request) {
      const { caller, body } = request
      const thread = await engine.inboxes.threads.change(
        caller.project,
        request.param('id'),
        body,
        inboxVisitorOf(caller),
      )
      return ok(ThreadDetailAnswer.of(thread))
    },
  },
  {
    method: 'POST',
    path: '/threads/:id/merge',
    operation: 'mergeThread',
    summary: 'Merge a thread into another one',
    description:
      'Its messages, notes and drafts go to the other thread of the same inbox, which is answered; it is gone itself.',
    access: 'secret',
    body: 'json',
    takes: { body: MergeThread },
    gives: { 200: ThreadDetailAnswer.schema },
    examples: [{ body: { into: EXAMPLE_IDS.otherThread } }],
    async handle(engine, request) {
      const { caller, body } = request
      const thread = await engine.inboxes.threads.merge(
        caller.project,
        request.param('id'),
        body,
        inboxVisitorOf(caller),
      )
      return ok(ThreadDetailAnswer.of(thread))
    },
  },
  {
    method: 'POST',
    path: '/threads/:id/split',
    operation: 'splitThread',
    summary: 'Make a new thread of some messages',
    description: 'Answers the new thread. Later answers to these messages go there.',
    access: 'secret',
    body: 'json',
    takes: { body: SplitThread },
    gives: { 201: ThreadDetailAnswer.schema },
    examples: [{ body: { messageIds: [EXAMPLE_IDS.message] } }],
    async handle(engine, request) {
      const { caller, body } = request
      const thread = await engine.inboxes.threads.split(
        caller.project,
        request.param('id'),
        body,
        inboxVisitorOf(caller),
      )
      return created(ThreadDetailAnswer.of(thread))
    },
  },
  {
    method: 'POST',
    path: '/threads/:id/notes',
    operation: 'addThreadNote',
    summary: 'Note something at a thread',
    description: 'For the team: notes are in no mail.',
    access: 'secret',
    audit: 'people',
    body: 'json',
    takes: { body: AddNote },
    gives: { 201: ThreadNoteAnswer.schema },
    examples: [{ body: { text: 'Called her: she wants the blue one.' } }],
    async handle(engine, request) {
      const { caller, body } = request
      const note = await engine.inboxes.threads.note(caller.project, request.param('id'), body, inboxVisitorOf(caller))
      return created(ThreadNoteAnswer.of(note))
    },
  },
  {
    method: 'DELETE',
    path: '/threads/:id/notes/:noteId',
    operation: 'deleteThreadNote',
    summary: 'Delete a note',
    description: 'Of a thread.',
    access: 'secret',
    audit: 'people',
    gives: { 204: null },
    async handle(engine, request) {
      const { caller } = request
      const { threads } = engine.inboxes
      await threads.removeNote(caller.project, request.param('id'), request.param('noteId'), inboxVisitorOf(caller))
      return noContent
    },
  },
]
