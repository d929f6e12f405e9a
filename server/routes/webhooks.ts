import { accepted, created, type KeyRoute, noContent, ok } from '../route.ts'
import { deliveryDetailOnWire, deliveryOnWire, endpointOnWire, listOnWire } from '../wire.ts'

/** Webhooks to customers' servers: endpoints, their secret, and the log of deliveries. */
export const webhookRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/webhooks/secret',
    summary: 'Get the secret webhooks are signed with',
    access: 'secret',
    scope: 'full',
    answers: [200],
    async handle(engine, { caller }) {
      return ok({ secret: await engine.webhooks.secret(caller.project) })
    },
  },
  {
    method: 'POST',
    path: '/webhooks/secret/rotate',
    summary: 'Make a new secret; the one before counts for 24 hours more',
    access: 'secret',
    answers: [200],
    async handle(engine, { caller }) {
      return ok({ secret: await engine.webhooks.rotateSecret(caller.project) })
    },
  },
  {
    method: 'GET',
    path: '/webhooks/deliveries',
    summary: 'List the requests made to endpoints and by workflows',
    access: 'secret',
    answers: [200],
    async handle(engine, { caller, query }) {
      return ok(listOnWire(await engine.deliveries.list(caller.project, query), deliveryOnWire))
    },
  },
  {
    method: 'GET',
    path: '/webhooks/deliveries/:id',
    summary: 'Get one of these requests with what was answered',
    access: 'secret',
    answers: [200],
    async handle(engine, request) {
      return ok(deliveryDetailOnWire(await engine.deliveries.get(request.caller.project, request.param('id'))))
    },
  },
  {
    method: 'POST',
    path: '/webhooks/deliveries/:id/replay',
    summary: 'Make a request that has ended once more',
    access: 'secret',
    answers: [202],
    async handle(engine, request) {
      return accepted(deliveryOnWire(await engine.deliveries.replay(request.caller.project, request.param('id'))))
    },
  },
  {
    method: 'GET',
    path: '/webhooks',
    summary: 'List endpoints',
    access: 'secret',
    answers: [200],
    async handle(engine, { caller }) {
      return ok((await engine.webhooks.list(caller.project)).map(endpointOnWire))
    },
  },
  {
    method: 'POST',
    path: '/webhooks',
    summary: 'Make an endpoint',
    access: 'secret',
    body: 'json',
    answers: [201],
    async handle(engine, { caller, body }) {
      return created(endpointOnWire(await engine.webhooks.create(caller.project, body)))
    },
  },
  {
    method: 'GET',
    path: '/webhooks/:id',
    summary: 'Get an endpoint',
    access: 'secret',
    answers: [200],
    async handle(engine, request) {
      return ok(endpointOnWire(await engine.webhooks.get(request.caller.project, request.param('id'))))
    },
  },
  {
    method: 'PATCH',
    path: '/webhooks/:id',
    summary: 'Change an endpoint; enabled: true ends a pause',
    access: 'secret',
    body: 'json',
    answers: [200],
    async handle(engine, request) {
      return ok(endpointOnWire(await engine.webhooks.change(request.caller.project, request.param('id'), request.body)))
    },
  },
  {
    method: 'DELETE',
    path: '/webhooks/:id',
    summary: 'Delete an endpoint',
    access: 'secret',
    answers: [204],
    async handle(engine, request) {
      await engine.webhooks.remove(request.caller.project, request.param('id'))
      return noContent
    },
  },
  {
    method: 'POST',
    path: '/webhooks/:id/test',
    summary: 'Send an endpoint a test event',
    access: 'secret',
    answers: [202],
    async handle(engine, request) {
      return accepted(deliveryOnWire(await engine.webhooks.test(request.caller.project, request.param('id'))))
    },
  },
]
