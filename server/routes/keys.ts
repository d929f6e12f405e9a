import { EngineError } from '../../core/errors.ts'
import { ChangeApiKey, CreateApiKey, StopKeys } from '../../core/projects/api-keys.ts'
import { grantedBy } from '../../core/projects/caller.ts'
import { ApiKeyAnswer, NewApiKeyAnswer } from '../answers/keys.ts'
import { many } from '../answers/parts.ts'
import { created, type KeyRoute, noContent, ok } from '../http/route.ts'
import { EXAMPLE_IDS } from '../openapi/example-ids.ts'

/** A project's API keys. */
export const keyRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/projects/:id/keys',
    ofProject: true,
    operation: 'listApiKeys',
    summary: 'List the API keys of the project',
    description: 'Newest first, without the keys themselves. Keys of the configuration are included.',
    access: 'secret',
    area: 'keys',
    gives: { 200: many(ApiKeyAnswer.schema) },
    async handle(engine, request) {
      const { project } = request.caller
      return ok((await engine.projects.keys.list(project)).map(ApiKeyAnswer.of))
    },
  },
  {
    method: 'POST',
    path: '/projects/:id/keys',
    ofProject: true,
    area: 'keys',
    operation: 'createApiKey',
    secretAnswer: true,
    summary: 'Create an API key',
    description: 'The key is shown only in this response. A key cannot make a key that may do more than itself.',
    access: 'secret',
    body: 'json',
    takes: { body: CreateApiKey },
    gives: { 201: NewApiKeyAnswer.schema },
    examples: [
      { body: { name: 'shop', kind: 'secret', scopes: ['send', 'track'] } },
      {
        summary: 'A key for an inbox',
        body: {
          name: 'agent',
          kind: 'secret',
          scopes: ['inbox'],
          inbox: { inboxIds: [EXAMPLE_IDS.inbox], rights: ['read', 'draft', 'send'], approval: 'outside', hourly: 20 },
        },
      },
    ],
    async handle(engine, request) {
      const { caller, body } = request
      const { record, key } = await engine.projects.keys.create(caller.project, body, grantedBy(caller))
      return created(NewApiKeyAnswer.of({ ...record, key }))
    },
  },
  {
    method: 'PATCH',
    path: '/projects/:id/keys/:keyId',
    ofProject: true,
    area: 'stopping',
    operation: 'changeApiKey',
    summary: 'Rename a key, or stop a key for an agent',
    description:
      'What a key may do stays: make another key for that. A stopped key reads its inboxes, but neither drafts, sends nor organises. No mail of it is accepted after the answer, and its mails for later wait for approval. Only keys with the scope `inbox` are stopped: for others `stopped` is refused with 422.',
    access: 'secret',
    body: 'json',
    takes: { body: ChangeApiKey },
    gives: { 200: ApiKeyAnswer.schema },
    examples: [{ body: { stopped: true } }, { summary: 'Another name', body: { name: 'shop' } }],
    async handle(engine, request) {
      const { caller, body } = request
      return ok(
        ApiKeyAnswer.of(await engine.inboxes.agents.change(caller.project, request.param('keyId'), body, caller)),
      )
    },
  },
  {
    method: 'PATCH',
    path: '/projects/:id/keys',
    ofProject: true,
    area: 'stopping',
    operation: 'stopAgentKeys',
    summary: 'Stop all keys for agents, or let them work again',
    description: 'All keys with the scope `inbox` that the project has now. The answer lists them.',
    access: 'secret',
    body: 'json',
    takes: { body: StopKeys },
    gives: { 200: many(ApiKeyAnswer.schema) },
    examples: [{ body: { stopped: true } }],
    async handle(engine, { caller, body }) {
      return ok((await engine.inboxes.agents.stopAll(caller.project, body, caller)).map(ApiKeyAnswer.of))
    },
  },
  {
    method: 'DELETE',
    path: '/projects/:id/keys/:keyId',
    ofProject: true,
    area: 'keys',
    operation: 'revokeApiKey',
    summary: 'Revoke an API key',
    description: 'It stops working at once in the process that handles the request, and within five seconds in others.',
    access: 'secret',
    gives: { 204: null },
    async handle(engine, request) {
      const { project } = request.caller
      await engine.projects.keys.revoke(project, request.param('keyId'))
      return noContent
    },
  },
  {
    method: 'GET',
    path: '/keys/@me',
    operation: 'getOwnApiKey',
    summary: 'Get the key used for the request',
    description: 'Shows what it may do and which project it belongs to. Any key may call this.',
    access: 'secret',
    area: 'any',
    gives: { 200: ApiKeyAnswer.schema },
    fails: [404],
    async handle(engine, { caller }) {
      if (caller.kind === 'member') throw new EngineError('KEY_NOT_FOUND', 'This request came without a key.')
      return ok(ApiKeyAnswer.of(await engine.projects.keys.get(caller.project, caller.keyId)))
    },
  },
]
