import { created, type KeyRoute, ok } from '../route.ts'
import { numberedOnWire } from '../wire.ts'
import { executionOnWire } from '../workflow-wire.ts'

/** The ways of contacts through workflows. */
export const executionRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/workflows/:id/executions',
    summary: 'List the executions of a workflow',
    access: 'secret',
    answers: [200],
    async handle(engine, call) {
      const found = await engine.executions.list(call.caller.project, call.param('id'), call.query)
      return ok(numberedOnWire('executions', found, executionOnWire))
    },
  },
  {
    method: 'POST',
    path: '/workflows/:id/executions',
    summary: 'Start a workflow for a contact',
    access: 'secret',
    body: 'json',
    answers: [201],
    async handle(engine, call) {
      return created(executionOnWire(await engine.executions.start(call.caller.project, call.param('id'), call.body)))
    },
  },
  {
    method: 'POST',
    path: '/workflows/:id/executions/cancel-all',
    summary: 'Cancel every active execution of a workflow',
    access: 'secret',
    answers: [200],
    async handle(engine, call) {
      return ok({ cancelled: await engine.executions.cancelAll(call.caller.project, call.param('id')) })
    },
  },
  {
    method: 'GET',
    path: '/workflows/:id/executions/:executionId',
    summary: 'Get an execution with its steps',
    access: 'secret',
    answers: [200],
    async handle(engine, call) {
      const { project } = call.caller
      return ok(executionOnWire(await engine.executions.get(project, call.param('id'), call.param('executionId'))))
    },
  },
  {
    method: 'DELETE',
    path: '/workflows/:id/executions/:executionId',
    summary: 'Cancel a running or waiting execution',
    access: 'secret',
    answers: [200],
    async handle(engine, call) {
      const { project } = call.caller
      return ok(executionOnWire(await engine.executions.cancel(project, call.param('id'), call.param('executionId'))))
    },
  },
]
