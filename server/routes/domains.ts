import { created, type KeyRoute, noContent, ok } from '../route.ts'

/** The domains mail is sent from. */
export const domainRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/domains/project/:projectId',
    summary: 'List the sending domains of the project with their DNS records',
    access: 'secret',
    answers: [200],
    async handle(engine, call) {
      return ok(await engine.domains.list(call.caller.project, call.param('projectId')))
    },
  },
  {
    method: 'POST',
    path: '/domains',
    summary: 'Add a sending domain; answers the DNS records to publish',
    access: 'secret',
    body: 'json',
    answers: [201],
    async handle(engine, { caller, body }) {
      return created(await engine.domains.add(caller.project, body))
    },
  },
  {
    method: 'GET',
    path: '/domains/:id/verify',
    summary: 'Look at the DNS records of a domain now',
    access: 'secret',
    answers: [200],
    async handle(engine, call) {
      return ok(await engine.domains.verify(call.caller.project, call.param('id')))
    },
  },
  {
    method: 'POST',
    path: '/domains/:id/rotate',
    summary: 'Make a new key for a domain; the one before signs until the new record is seen',
    access: 'secret',
    body: 'json-or-nothing',
    answers: [200],
    async handle(engine, call) {
      return ok(await engine.domains.rotate(call.caller.project, call.param('id')))
    },
  },
  {
    method: 'DELETE',
    path: '/domains/:id',
    summary: 'Remove a sending domain and its keys',
    access: 'secret',
    answers: [204],
    async handle(engine, call) {
      await engine.domains.remove(call.caller.project, call.param('id'))
      return noContent
    },
  },
]
