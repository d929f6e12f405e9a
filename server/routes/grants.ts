import { DecideGrant } from '../../core/accounts/grants.ts'
import { DecidedGrant } from '../answers/grants.ts'
import { ApiKeyAnswer } from '../answers/keys.ts'
import { many } from '../answers/parts.ts'
import { created, type KeyRoute, noContent, ok } from '../http/route.ts'

/** Clients of MCP that members let into inboxes. */
export const grantRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/projects/:id/grants',
    ofProject: true,
    area: 'grants',
    operation: 'listGrants',
    summary: 'List the clients that you let in',
    description: 'Programs that work in inboxes by OAuth, newest first. Of an ADMIN or OWNER, those of all members.',
    access: 'secret',
    gives: { 200: many(ApiKeyAnswer.schema) },
    async handle(engine, { caller }) {
      return ok((await engine.accounts.grants.list(caller)).map(ApiKeyAnswer.of))
    },
  },
  {
    method: 'POST',
    path: '/projects/:id/grants',
    ofProject: true,
    area: 'grants',
    operation: 'decideGrant',
    secretAnswer: true,
    summary: 'Let a client in, or not',
    description:
      'Answers the request of a program, which was signed when the program sent the browser here: which inboxes it works in, and how far. The client gets no more than you may do, and loses it when you leave the project or get a lower role.',
    access: 'secret',
    body: 'json',
    takes: { body: DecideGrant },
    gives: { 201: DecidedGrant.schema },
    async handle(engine, { caller, body }) {
      const { grant, redirectTo } = await engine.accounts.grants.decide(caller, body)
      return created(DecidedGrant.of({ id: grant?.id, redirectTo }))
    },
  },
  {
    method: 'DELETE',
    path: '/projects/:id/grants/:grantId',
    ofProject: true,
    area: 'grants',
    operation: 'endGrant',
    summary: 'End what a client may do',
    description: 'At once.',
    access: 'secret',
    gives: { 204: null },
    async handle(engine, request) {
      await engine.accounts.grants.end(request.caller, request.param('grantId'))
      return noContent
    },
  },
]
