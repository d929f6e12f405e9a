import { seesSecrets } from '../../core/projects/caller.ts'
import { ListDeliveries } from '../../core/webhooks/delivery-log.ts'
import { ChangeEndpoint, CreateEndpoint } from '../../core/webhooks/read-endpoint.ts'
import { TestEndpoint } from '../../core/webhooks/test-endpoint.ts'
import { cursorList, listed } from '../answers/lists.ts'
import { many } from '../answers/parts.ts'
import { DeliveryAnswer, DeliveryDetailAnswer, WebhookAnswer, WebhookSecret } from '../answers/webhooks.ts'
import { accepted, created, type KeyRoute, noContent, ok } from '../http/route.ts'

/** Webhooks to customers' servers: endpoints, their secret, and the log of deliveries. */
export const webhookRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/webhooks/secret',
    operation: 'getWebhookSecret',
    audit: 'always',
    summary: 'Get the secret that webhooks are signed with',
    description: 'Each project has one, for both endpoints and WEBHOOK steps.',
    access: 'secret',
    area: 'webhooks',
    gives: { 200: WebhookSecret },
    async handle(engine, { caller }) {
      return ok({ secret: await engine.webhooks.secret(caller.project) })
    },
  },
  {
    method: 'POST',
    path: '/webhooks/secret/rotate',
    operation: 'rotateWebhookSecret',
    secretAnswer: true,
    summary: 'Replace the secret that webhooks are signed with',
    description:
      'For 24 hours requests are signed with both secrets, so that you can change your servers one after another.',
    access: 'secret',
    gives: { 200: WebhookSecret },
    async handle(engine, { caller }) {
      return ok({ secret: await engine.webhooks.rotateSecret(caller.project) })
    },
  },
  {
    method: 'GET',
    path: '/webhooks/deliveries',
    operation: 'listDeliveries',
    summary: 'List the requests made to endpoints and by workflows',
    description: 'Newest first, with the outcome of each. They are kept for 30 days after their end.',
    access: 'secret',
    takes: { query: ListDeliveries },
    gives: { 200: cursorList(DeliveryAnswer.schema) },
    examples: [{ query: { status: 'PENDING' } }],
    async handle(engine, { caller, query }) {
      return ok(
        listed(await engine.webhooks.deliveries.list(caller.project, query), (each) =>
          DeliveryAnswer.of(each, seesSecrets(caller)),
        ),
      )
    },
  },
  {
    method: 'GET',
    path: '/webhooks/deliveries/:id',
    operation: 'getDelivery',
    summary: 'Get a request with its response',
    description: 'Shows the headers and the body that were sent, and the first 64 KB of the last response.',
    access: 'secret',
    gives: { 200: DeliveryDetailAnswer.schema },
    async handle(engine, request) {
      return ok(
        DeliveryDetailAnswer.of(
          await engine.webhooks.deliveries.get(request.caller.project, request.param('id')),
          seesSecrets(request.caller),
        ),
      )
    },
  },
  {
    method: 'POST',
    path: '/webhooks/deliveries/:id/replay',
    operation: 'replayDelivery',
    summary: 'Repeat a finished request',
    description: "As a new request, to the endpoint's current URL. It does not continue a workflow.",
    access: 'secret',
    gives: { 202: DeliveryAnswer.schema },
    async handle(engine, request) {
      return accepted(
        DeliveryAnswer.of(
          await engine.webhooks.deliveries.replay(request.caller.project, request.param('id')),
          seesSecrets(request.caller),
        ),
      )
    },
  },
  {
    method: 'GET',
    path: '/webhooks',
    operation: 'listWebhooks',
    summary: 'List the endpoints for events',
    description: 'A project has at most 50, so there are no pages.',
    access: 'secret',
    gives: { 200: many(WebhookAnswer.schema) },
    async handle(engine, { caller }) {
      return ok((await engine.webhooks.list(caller.project)).map((each) => WebhookAnswer.of(each, seesSecrets(caller))))
    },
  },
  {
    method: 'POST',
    path: '/webhooks',
    operation: 'createWebhook',
    summary: 'Create an endpoint for events',
    description:
      'It gets each event it subscribes to as a signed POST request. An address in a private network is refused. With `test: true` the event `webhook.test` is sent at once, and a warning says why it did not arrive.',
    access: 'secret',
    body: 'json',
    takes: { body: CreateEndpoint },
    gives: { 201: WebhookAnswer.schema },
    examples: [{ body: { url: 'https://example.com/hook', events: ['email.*', 'contact.unsubscribed'] } }],
    async handle(engine, { caller, body }) {
      return created(WebhookAnswer.of(await engine.webhooks.create(caller.project, body), seesSecrets(caller)))
    },
  },
  {
    method: 'GET',
    path: '/webhooks/:id',
    operation: 'getWebhook',
    summary: 'Get an endpoint',
    description: 'Shows the events it subscribes to, and since when it has been failing.',
    access: 'secret',
    gives: { 200: WebhookAnswer.schema },
    async handle(engine, request) {
      return ok(
        WebhookAnswer.of(
          await engine.webhooks.get(request.caller.project, request.param('id')),
          seesSecrets(request.caller),
        ),
      )
    },
  },
  {
    method: 'PATCH',
    path: '/webhooks/:id',
    operation: 'changeWebhook',
    summary: 'Change an endpoint',
    description: 'Only the fields in the request change. `enabled: true` ends a pause.',
    access: 'secret',
    body: 'json',
    takes: { body: ChangeEndpoint },
    gives: { 200: WebhookAnswer.schema },
    examples: [{ body: { enabled: true } }],
    async handle(engine, request) {
      return ok(
        WebhookAnswer.of(
          await engine.webhooks.change(request.caller.project, request.param('id'), request.body),
          seesSecrets(request.caller),
        ),
      )
    },
  },
  {
    method: 'DELETE',
    path: '/webhooks/:id',
    operation: 'deleteWebhook',
    summary: 'Delete an endpoint',
    description: 'Events still waiting for it are not sent.',
    access: 'secret',
    gives: { 204: null },
    async handle(engine, request) {
      await engine.webhooks.remove(request.caller.project, request.param('id'))
      return noContent
    },
  },
  {
    method: 'POST',
    path: '/webhooks/:id/test',
    operation: 'testWebhook',
    summary: 'Send an endpoint a test event',
    description:
      'The event `webhook.test`, once, even if the endpoint is not enabled. With `wait`, the answer has the outcome and, in `error`, why it failed; else `GET /webhooks/deliveries/{id}` shows it.',
    access: 'secret',
    takes: { query: TestEndpoint },
    gives: { 202: DeliveryAnswer.schema },
    async handle(engine, request) {
      const { caller, query } = request
      return accepted(
        DeliveryAnswer.of(await engine.webhooks.test(caller.project, request.param('id'), query), seesSecrets(caller)),
      )
    },
  },
]
