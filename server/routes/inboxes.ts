import { ChangeInbox, CreateInbox } from '../../core/inboxes/inbox.ts'
import { inboxVisitorOf } from '../../core/projects/caller.ts'
import { PageQuery } from '../../core/values/page.ts'
import { InboxAnswer } from '../answers/inboxes.ts'
import { numbered, numberedList } from '../answers/lists.ts'
import { created, type KeyRoute, noContent, ok, versioned } from '../http/route.ts'

/** Addresses whose mail people and programs read and answer as conversations. */
export const inboxRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/inboxes',
    operation: 'listInboxes',
    summary: 'List inboxes',
    description: 'Newest first, each with how many of its threads the caller has not read.',
    access: 'secret',
    area: 'inboxes',
    takes: { query: PageQuery },
    gives: { 200: numberedList('inboxes', InboxAnswer.schema) },
    async handle(engine, { caller, query }) {
      const page = await engine.inboxes.list(caller.project, query, inboxVisitorOf(caller))
      return ok(numbered('inboxes', page, InboxAnswer.of))
    },
  },
  {
    method: 'POST',
    path: '/inboxes',
    operation: 'createInbox',
    summary: 'Create an inbox',
    description:
      'Mail to the address that comes in from then on is filed in threads. Without an address it gets a free one at `domain`. A project has at most 10,000.',
    access: 'secret',
    body: 'json',
    takes: { body: CreateInbox },
    gives: { 201: InboxAnswer.schema },
    examples: [
      {
        body: {
          address: 'help@example.com',
          name: 'Help',
          senderName: 'Example Help',
          labels: [{ name: 'urgent', colour: '#d92d20' }],
        },
      },
      { summary: 'A free address', body: { name: 'Agent 7', metadata: { run: '4711' } } },
    ],
    async handle(engine, { caller, body }) {
      return created(InboxAnswer.of(await engine.inboxes.create(caller.project, body)))
    },
  },
  {
    method: 'GET',
    path: '/inboxes/:id',
    operation: 'getInbox',
    summary: 'Get an inbox',
    description: 'With how many of its threads the caller has not read.',
    access: 'secret',
    area: 'inboxes',
    gives: { 200: InboxAnswer.schema },
    async handle(engine, request) {
      const { caller } = request
      return versioned(
        InboxAnswer.of(await engine.inboxes.get(caller.project, request.param('id'), inboxVisitorOf(caller))),
      )
    },
  },
  {
    method: 'PATCH',
    path: '/inboxes/:id',
    operation: 'changeInbox',
    summary: 'Change an inbox',
    description: 'Its address stays. Threads keep labels that the inbox no longer has.',
    access: 'secret',
    body: 'json',
    takes: { body: ChangeInbox },
    gives: { 200: InboxAnswer.schema },
    examples: [{ body: { signature: '<p>Example Help</p>' } }],
    async handle(engine, request) {
      const { caller, body } = request
      return versioned(InboxAnswer.of(await engine.inboxes.change(caller.project, request.param('id'), body)))
    },
  },
  {
    method: 'DELETE',
    path: '/inboxes/:id',
    operation: 'deleteInbox',
    summary: 'Delete an inbox',
    description: 'With its threads, notes and drafts. Its mails stay in the ledger, as if it had never been.',
    access: 'secret',
    gives: { 204: null },
    async handle(engine, request) {
      await engine.inboxes.remove(request.caller.project, request.param('id'))
      return noContent
    },
  },
]
