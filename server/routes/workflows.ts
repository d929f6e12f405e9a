import { created, type KeyRoute, noContent, ok } from '../route.ts'
import { numberedOnWire } from '../wire.ts'
import { graphOnWire, stepOnWire, transitionOnWire, workflowOnWire, workflowStatsOnWire } from '../workflow-wire.ts'

/** Workflows with their steps and transitions. */
export const workflowRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/workflows',
    summary: 'List workflows',
    access: 'secret',
    answers: [200],
    async handle(engine, request) {
      const found = await engine.workflows.list(request.caller.project, request.query)
      return ok(numberedOnWire('workflows', found, workflowOnWire))
    },
  },
  {
    method: 'POST',
    path: '/workflows',
    summary: 'Make a workflow',
    access: 'secret',
    body: 'json',
    answers: [201],
    async handle(engine, { caller, body }) {
      return created(graphOnWire(await engine.workflows.create(caller.project, body)))
    },
  },
  {
    method: 'GET',
    path: '/workflows/fields',
    summary: 'List the fields a CONDITION step can ask for',
    access: 'secret',
    answers: [200],
    async handle(engine, { caller, query }) {
      const typedFields = await engine.workflows.fields(caller.project, query)
      return ok({ fields: typedFields.map(({ field }) => field), typedFields, count: typedFields.length })
    },
  },
  {
    method: 'GET',
    path: '/workflows/:id',
    summary: 'Get a workflow with its steps and transitions',
    access: 'secret',
    answers: [200],
    async handle(engine, request) {
      return ok(graphOnWire(await engine.workflows.get(request.caller.project, request.param('id'))))
    },
  },
  {
    method: 'PATCH',
    path: '/workflows/:id',
    summary: 'Change, enable or disable a workflow',
    access: 'secret',
    body: 'json',
    answers: [200],
    async handle(engine, request) {
      return ok(graphOnWire(await engine.workflows.change(request.caller.project, request.param('id'), request.body)))
    },
  },
  {
    method: 'DELETE',
    path: '/workflows/:id',
    summary: 'Delete a workflow that nobody is in',
    access: 'secret',
    answers: [204],
    async handle(engine, request) {
      await engine.workflows.remove(request.caller.project, request.param('id'))
      return noContent
    },
  },
  {
    method: 'POST',
    path: '/workflows/:id/duplicate',
    summary: 'Copy a workflow',
    access: 'secret',
    answers: [201],
    async handle(engine, request) {
      return created(graphOnWire(await engine.workflows.duplicate(request.caller.project, request.param('id'))))
    },
  },
  {
    method: 'GET',
    path: '/workflows/:id/stats',
    summary: 'Count the executions of a workflow, by step too',
    access: 'secret',
    answers: [200],
    async handle(engine, request) {
      return ok(workflowStatsOnWire(await engine.workflows.stats(request.caller.project, request.param('id'))))
    },
  },
  {
    method: 'POST',
    path: '/workflows/:id/steps',
    summary: 'Add a step',
    access: 'secret',
    body: 'json',
    answers: [201],
    async handle(engine, request) {
      return created(
        stepOnWire(await engine.workflows.addStep(request.caller.project, request.param('id'), request.body)),
      )
    },
  },
  {
    method: 'PATCH',
    path: '/workflows/:id/steps/:stepId',
    summary: 'Change a step',
    access: 'secret',
    body: 'json',
    answers: [200],
    async handle(engine, request) {
      const { project } = request.caller
      return ok(
        stepOnWire(
          await engine.workflows.changeStep(project, request.param('id'), request.param('stepId'), request.body),
        ),
      )
    },
  },
  {
    method: 'DELETE',
    path: '/workflows/:id/steps/:stepId',
    summary: 'Delete a step; `splice=true` closes the gap',
    access: 'secret',
    answers: [204],
    async handle(engine, request) {
      await engine.workflows.removeStep(
        request.caller.project,
        request.param('id'),
        request.param('stepId'),
        request.query,
      )
      return noContent
    },
  },
  {
    method: 'POST',
    path: '/workflows/:id/transitions',
    summary: 'Connect two steps',
    access: 'secret',
    body: 'json',
    answers: [201],
    async handle(engine, request) {
      const transition = await engine.workflows.addTransition(request.caller.project, request.param('id'), request.body)
      return created(transitionOnWire(transition))
    },
  },
  {
    method: 'DELETE',
    path: '/workflows/:id/transitions/:transitionId',
    summary: 'Delete a transition',
    access: 'secret',
    answers: [204],
    async handle(engine, request) {
      const { project } = request.caller
      await engine.workflows.removeTransition(project, request.param('id'), request.param('transitionId'))
      return noContent
    },
  },
]
