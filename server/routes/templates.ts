import { created, type KeyRoute, noContent, ok } from '../route.ts'
import { numberedOnWire, templateOnWire, usesOnWire } from '../wire.ts'

/** A project's reusable mails. */
export const templateRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/templates',
    summary: 'List templates',
    access: 'secret',
    answers: [200],
    async handle(engine, { caller, query }) {
      return ok(numberedOnWire('templates', await engine.templates.list(caller.project, query), templateOnWire))
    },
  },
  {
    method: 'POST',
    path: '/templates',
    summary: 'Make a template',
    access: 'secret',
    body: 'json',
    answers: [201],
    async handle(engine, { caller, body }) {
      return created(templateOnWire(await engine.templates.create(caller.project, body)))
    },
  },
  {
    method: 'POST',
    path: '/templates/render',
    summary: 'Fill in a subject and a body, sending nothing',
    access: 'secret',
    body: 'json',
    answers: [200],
    async handle(engine, { caller, body }) {
      return ok(await engine.templates.render(caller.project, body))
    },
  },
  {
    method: 'GET',
    path: '/templates/:id',
    summary: 'Get a template',
    access: 'secret',
    answers: [200],
    async handle(engine, request) {
      return ok(templateOnWire(await engine.templates.get(request.caller.project, request.param('id'))))
    },
  },
  {
    method: 'PATCH',
    path: '/templates/:id',
    summary: 'Change a template',
    access: 'secret',
    body: 'json',
    answers: [200],
    async handle(engine, request) {
      return ok(
        templateOnWire(await engine.templates.change(request.caller.project, request.param('id'), request.body)),
      )
    },
  },
  {
    method: 'DELETE',
    path: '/templates/:id',
    summary: 'Delete a template',
    access: 'secret',
    answers: [204],
    async handle(engine, request) {
      await engine.templates.remove(request.caller.project, request.param('id'))
      return noContent
    },
  },
  {
    method: 'POST',
    path: '/templates/:id/duplicate',
    summary: 'Copy a template',
    access: 'secret',
    answers: [201],
    async handle(engine, request) {
      return created(templateOnWire(await engine.templates.duplicate(request.caller.project, request.param('id'))))
    },
  },
  {
    method: 'GET',
    path: '/templates/:id/usage',
    summary: 'Where a template is used',
    access: 'secret',
    answers: [200],
    async handle(engine, request) {
      const { campaigns, workflows, emailsSent } = await engine.templates.usage(
        request.caller.project,
        request.param('id'),
      )
      const { usedInCampaigns, usedInWorkflows } = usesOnWire({ segments: [], campaigns, workflows })
      return ok({ campaigns: usedInCampaigns, workflows: usedInWorkflows, emailsSent })
    },
  },
]
