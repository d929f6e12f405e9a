import { ListExecutions, StartExecution } from '../../core/workflows/executions.ts'
import { numbered, numberedList } from '../answers/lists.ts'
import { CancelledExecutions, ExecutionAnswer } from '../answers/workflows.ts'
import { created, type KeyRoute, ok } from '../http/route.ts'
import { EXAMPLE_IDS } from '../openapi/example-ids.ts'

/** Executions of workflows. */
export const executionRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/workflows/:id/executions',
    operation: 'listExecutions',
    summary: 'List the executions of a workflow',
    description:
      'Newest first, by page or by cursor. One of `status`, `standingOn`, `goalReached` and `stepId` narrows the list, as the counts of `GET /workflows/{id}/stats` do.',
    access: 'secret',
    takes: { query: ListExecutions },
    gives: { 200: numberedList('executions', ExecutionAnswer.schema) },
    examples: [{ query: { status: 'WAITING' } }],
    async handle(engine, request) {
      const found = await engine.workflows.executions.list(request.caller.project, request.param('id'), request.query)
      return ok(numbered('executions', found, ExecutionAnswer.of))
    },
  },
  {
    method: 'POST',
    path: '/workflows/:id/executions',
    operation: 'startExecution',
    audit: 'people',
    summary: 'Start a workflow for a contact',
    description: '409 if it is not enabled, or if the contact may not enter again.',
    access: 'secret',
    body: 'json',
    takes: { body: StartExecution },
    gives: { 201: ExecutionAnswer.schema },
    examples: [{ body: { contactId: EXAMPLE_IDS.contact, context: { coupon: 'JUNE' } } }],
    async handle(engine, request) {
      return created(
        ExecutionAnswer.of(
          await engine.workflows.executions.start(request.caller.project, request.param('id'), request.body),
        ),
      )
    },
  },
  {
    method: 'POST',
    path: '/workflows/:id/executions/cancel-all',
    operation: 'cancelExecutions',
    summary: 'Cancel every active execution of a workflow',
    description: 'Contacts in it stop where they are. Returns how many there were.',
    access: 'secret',
    gives: { 200: CancelledExecutions },
    async handle(engine, request) {
      return ok({ cancelled: await engine.workflows.executions.cancelAll(request.caller.project, request.param('id')) })
    },
  },
  {
    method: 'GET',
    path: '/workflows/:id/executions/:executionId',
    operation: 'getExecution',
    summary: 'Get an execution with its steps',
    description: 'Shows what each step did for the contact, and what the execution is waiting for.',
    access: 'secret',
    gives: { 200: ExecutionAnswer.schema },
    async handle(engine, request) {
      const { project } = request.caller
      return ok(
        ExecutionAnswer.of(
          await engine.workflows.executions.get(project, request.param('id'), request.param('executionId')),
        ),
      )
    },
  },
  {
    method: 'DELETE',
    path: '/workflows/:id/executions/:executionId',
    operation: 'cancelExecution',
    summary: 'Cancel an execution',
    description: 'The contact stops where it is. 409 if the execution has ended.',
    access: 'secret',
    gives: { 200: ExecutionAnswer.schema },
    async handle(engine, request) {
      const { project } = request.caller
      return ok(
        ExecutionAnswer.of(
          await engine.workflows.executions.cancel(project, request.param('id'), request.param('executionId')),
        ),
      )
    },
  },
]
