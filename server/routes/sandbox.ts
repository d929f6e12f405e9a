import { ListCaught } from '../../core/sandbox/sandbox.ts'
import { cursorList, listed } from '../answers/lists.ts'
import { CaughtMailAnswer, CaughtMailDetailAnswer, Cleared } from '../answers/sandbox.ts'
import { type KeyRoute, noContent, ok } from '../http/route.ts'

/** Mail that was caught instead of sent, for tests of applications. */
export const sandboxRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/sandbox/messages',
    operation: 'listCaughtMails',
    summary: 'List caught mails, or wait for one',
    description:
      'Newest first, each with its text, its links and the code that it gives. With `wait`, it answers as soon as there is one that fits, and with an empty list when the time is up.',
    access: 'secret',
    takes: { query: ListCaught },
    gives: { 200: cursorList(CaughtMailAnswer.schema) },
    examples: [{ summary: 'The newest mail to an address', query: { to: 'ada@example.org', limit: 1 } }],
    async handle(engine, request) {
      const { caller, query } = request
      const found = await engine.sandbox.list(caller.project, query, { signal: request.gone() })
      return ok(listed(found, CaughtMailAnswer.of))
    },
  },
  {
    method: 'GET',
    path: '/sandbox/messages/:id',
    operation: 'getCaughtMail',
    summary: 'Get a caught mail',
    description:
      'With its HTML, its header and its files. `GET /emails/{id}/raw` has it as it would have been handed over. 404 for a mail that was not caught, or was cleared.',
    access: 'secret',
    gives: { 200: CaughtMailDetailAnswer.schema },
    async handle(engine, request) {
      const { project } = request.caller
      return ok(CaughtMailDetailAnswer.of(await engine.sandbox.get(project, request.param('id'))))
    },
  },
  {
    method: 'DELETE',
    path: '/sandbox/messages/:id',
    operation: 'removeCaughtMail',
    audit: 'people',
    summary: 'Clear a caught mail',
    description:
      'It leaves the sandbox, and stays in the list of mails, as `cleared`, until its text is removed. 404 for a mail that was not caught, or is cleared.',
    access: 'secret',
    area: 'send',
    gives: { 204: null },
    async handle(engine, request) {
      await engine.sandbox.remove(request.caller.project, request.param('id'))
      return noContent
    },
  },
  {
    method: 'DELETE',
    path: '/sandbox/messages',
    operation: 'clearSandbox',
    audit: 'people',
    summary: 'Clear the sandbox',
    description:
      'All caught mails leave it. They stay in the list of mails, as `cleared`, until their texts are removed.',
    access: 'secret',
    area: 'send',
    gives: { 200: Cleared },
    async handle(engine, { caller }) {
      return ok({ cleared: await engine.sandbox.clear(caller.project) })
    },
  },
]
