import { seesSecrets } from '../../core/projects/caller.ts'
import { CopyRequest } from '../../core/values/copy-name.ts'
import { TryStep } from '../../core/workflows/run/try-step.ts'
import {
  AddTransition,
  ChangeStep,
  ChangeTransition,
  ChangeWorkflow,
  CreateWorkflow,
  FieldsQuery,
  ListWorkflows,
  NewStep,
  RemoveStep,
  RemoveTransition,
} from '../../core/workflows/workflow-request.ts'
import { WorkflowFields } from '../answers/contacts.ts'
import { numbered, numberedList } from '../answers/lists.ts'
import {
  ListedWorkflowAnswer,
  StepAnswer,
  TransitionAnswer,
  TriedStepAnswer,
  WorkflowAnswer,
  WorkflowStatsAnswer,
} from '../answers/workflows.ts'
import { added, changedPart, created, type KeyRoute, noContent, ok, removedFrom, versioned } from '../http/route.ts'
import { EXAMPLE_IDS } from '../openapi/example-ids.ts'

/** Workflows with their steps and transitions. */
export const workflowRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/workflows',
    operation: 'listWorkflows',
    summary: 'List workflows',
    description: 'Newest first, by page or by cursor, without their steps.',
    access: 'secret',
    takes: { query: ListWorkflows },
    gives: { 200: numberedList('workflows', ListedWorkflowAnswer.schema) },
    examples: [{ query: { page: 1, pageSize: 20 } }],
    async handle(engine, request) {
      const found = await engine.workflows.list(request.caller.project, request.query)
      return ok(numbered('workflows', found, ListedWorkflowAnswer.of))
    },
  },
  {
    method: 'POST',
    path: '/workflows',
    operation: 'createWorkflow',
    summary: 'Create a workflow',
    description:
      'It has a TRIGGER step and is not enabled. Send it with `steps`, which have keys, and the `transitions` between them, or add the steps one by one. Then enable it with `PATCH`.',
    access: 'secret',
    body: 'json',
    takes: { body: CreateWorkflow },
    gives: { 201: WorkflowAnswer.schema },
    examples: [
      { summary: 'Empty, to add steps to', body: { name: 'Welcome', eventName: 'signed-up' } },
      {
        summary: 'With steps',
        body: {
          name: 'Welcome',
          eventName: 'signed-up',
          steps: [
            { key: 'wait', type: 'DELAY', config: { amount: 2, unit: 'days' } },
            { key: 'mail', type: 'SEND_EMAIL', templateId: EXAMPLE_IDS.template },
          ],
          transitions: [
            { from: 'trigger', to: 'wait' },
            { from: 'wait', to: 'mail' },
          ],
        },
      },
    ],
    async handle(engine, { caller, body }) {
      return created(WorkflowAnswer.of(await engine.workflows.create(caller.project, body), seesSecrets(caller)))
    },
  },
  {
    method: 'GET',
    path: '/workflows/fields',
    operation: 'listWorkflowFields',
    summary: 'List the fields that a CONDITION step can test',
    description: 'Fields of contacts, and of the data of events.',
    access: 'secret',
    takes: { query: FieldsQuery },
    gives: { 200: WorkflowFields },
    examples: [{ query: { eventName: 'signed-up' } }],
    async handle(engine, { caller, query }) {
      const typedFields = await engine.workflows.fields(caller.project, query)
      return ok({ fields: typedFields.map(({ field }) => field), typedFields, count: typedFields.length })
    },
  },
  {
    method: 'GET',
    path: '/workflows/:id',
    operation: 'getWorkflow',
    summary: 'Get a workflow with its steps and transitions',
    description: 'Shows the whole graph.',
    access: 'secret',
    gives: { 200: WorkflowAnswer.schema },
    async handle(engine, request) {
      return versioned(
        WorkflowAnswer.of(
          await engine.workflows.get(request.caller.project, request.param('id')),
          seesSecrets(request.caller),
        ),
      )
    },
  },
  {
    method: 'PATCH',
    path: '/workflows/:id',
    operation: 'changeWorkflow',
    summary: 'Change, enable or disable a workflow',
    description:
      'Only the fields in the request change. A workflow that could not run is not enabled: 422 names the step.',
    access: 'secret',
    body: 'json',
    takes: { body: ChangeWorkflow },
    gives: { 200: WorkflowAnswer.schema },
    examples: [{ body: { name: 'Welcome, new', allowReentry: true } }],
    async handle(engine, request) {
      return versioned(
        WorkflowAnswer.of(
          await engine.workflows.change(request.caller.project, request.param('id'), request.body),
          seesSecrets(request.caller),
        ),
      )
    },
  },
  {
    method: 'DELETE',
    path: '/workflows/:id',
    operation: 'deleteWorkflow',
    summary: 'Delete a workflow',
    description: 'Its steps and its history are deleted too. 409 while contacts are in it.',
    access: 'secret',
    gives: { 204: null },
    async handle(engine, request) {
      await engine.workflows.remove(request.caller.project, request.param('id'))
      return noContent
    },
  },
  {
    method: 'POST',
    path: '/workflows/:id/duplicate',
    operation: 'duplicateWorkflow',
    summary: 'Copy a workflow',
    description: 'Its steps and transitions are copied too. The copy is not enabled.',
    access: 'secret',
    body: 'json-or-nothing',
    takes: { body: CopyRequest },
    gives: { 201: WorkflowAnswer.schema },
    examples: [{ body: { name: 'Welcome, in German' } }],
    async handle(engine, request) {
      return created(
        WorkflowAnswer.of(
          await engine.workflows.duplicate(request.caller.project, request.param('id'), request.body),
          seesSecrets(request.caller),
        ),
      )
    },
  },
  {
    method: 'GET',
    path: '/workflows/:id/stats',
    operation: 'getWorkflowStats',
    summary: 'Count the executions of a workflow',
    description: 'In total by status, and for each step.',
    access: 'secret',
    gives: { 200: WorkflowStatsAnswer.schema },
    async handle(engine, request) {
      return ok(WorkflowStatsAnswer.of(await engine.workflows.stats(request.caller.project, request.param('id'))))
    },
  },
  {
    method: 'POST',
    path: '/workflows/:id/steps',
    operation: 'addStep',
    summary: 'Add a step',
    description:
      'Its `config` depends on the `type`. `afterStepId` connects it to a step, `onTransitionId` inserts it between two; without either it is added to the open end, if there is exactly one.',
    access: 'secret',
    body: 'json',
    takes: { body: NewStep },
    gives: { 201: StepAnswer.schema },
    examples: [
      { summary: 'A pause', body: { type: 'DELAY', config: { amount: 2, unit: 'days' } } },
      {
        summary: 'A mail',
        body: { type: 'SEND_EMAIL', templateId: EXAMPLE_IDS.template },
      },
      {
        summary: 'A request to your own server',
        body: { type: 'WEBHOOK', config: { url: 'https://example.com/hook', method: 'POST' } },
      },
    ],
    async handle(engine, request) {
      const { caller, body } = request
      const step = await engine.workflows.addStep(caller.project, request.param('id'), body)
      return added(StepAnswer.of(step, seesSecrets(caller)), step)
    },
  },
  {
    method: 'PATCH',
    path: '/workflows/:id/steps/:stepId',
    operation: 'changeStep',
    summary: 'Change a step',
    description:
      'Only the fields in the request change; a `config` replaces the earlier one. The type cannot be changed.',
    access: 'secret',
    body: 'json',
    takes: { body: ChangeStep },
    gives: { 200: StepAnswer.schema },
    examples: [{ body: { name: 'Wait three days', config: { amount: 3, unit: 'days' } } }],
    async handle(engine, request) {
      const { caller, body } = request
      const [id, stepId] = [request.param('id'), request.param('stepId')]
      const step = await engine.workflows.changeStep(caller.project, id, stepId, body)
      return changedPart(StepAnswer.of(step, seesSecrets(caller)), step)
    },
  },
  {
    method: 'DELETE',
    path: '/workflows/:id/steps/:stepId',
    operation: 'deleteStep',
    summary: 'Delete a step',
    description:
      'Its transitions are deleted, too; `splice=true` connects the steps before it with the step after it, or if it has branches, with the one at `branch`. 409 while contacts are at it.',
    access: 'secret',
    takes: { query: RemoveStep },
    gives: { 204: null },
    examples: [{ query: { splice: 'true' } }],
    async handle(engine, request) {
      const { caller, query } = request
      const [id, stepId] = [request.param('id'), request.param('stepId')]
      return removedFrom(await engine.workflows.removeStep(caller.project, id, stepId, query))
    },
  },
  {
    method: 'POST',
    path: '/workflows/:id/steps/:stepId/test',
    operation: 'testStep',
    audit: 'never',
    idempotent: 'ignored',
    summary: 'Try a step with a contact',
    description:
      'Returns what a CONDITION, SWITCH, SPLIT, WAIT_UNTIL or SEND_EMAIL step would decide for the contact now. Nothing is written or sent.',
    access: 'secret',
    area: 'read',
    body: 'json',
    takes: { body: TryStep },
    gives: { 200: TriedStepAnswer.schema },
    examples: [{ body: { email: 'ada@example.org', event: { plan: 'pro' } } }],
    async handle(engine, request) {
      const { caller, body } = request
      const [id, stepId] = [request.param('id'), request.param('stepId')]
      return ok(TriedStepAnswer.of(await engine.workflows.executions.tryStep(caller.project, id, stepId, body)))
    },
  },
  {
    method: 'POST',
    path: '/workflows/:id/transitions',
    operation: 'addTransition',
    summary: 'Connect two steps',
    description: 'A step without branches has one transition, a step with branches one for each. Circles are refused.',
    access: 'secret',
    body: 'json',
    takes: { body: AddTransition },
    gives: { 201: TransitionAnswer.schema },
    examples: [{ body: { fromStepId: EXAMPLE_IDS.step, toStepId: EXAMPLE_IDS.nextStep } }],
    async handle(engine, request) {
      const transition = await engine.workflows.addTransition(request.caller.project, request.param('id'), request.body)
      return added(TransitionAnswer.of(transition), transition)
    },
  },
  {
    method: 'PATCH',
    path: '/workflows/:id/transitions/:transitionId',
    operation: 'changeTransition',
    summary: 'Change where a transition leads',
    description:
      'Only the fields in the request change, in one transaction, so that no contact finds the transition missing. If a transition that stands for all branches gets a `branch`, new transitions are added for the others.',
    access: 'secret',
    body: 'json',
    takes: { body: ChangeTransition },
    gives: { 200: TransitionAnswer.schema },
    examples: [{ body: { toStepId: EXAMPLE_IDS.nextStep } }],
    async handle(engine, request) {
      const { caller, body } = request
      const [id, transitionId] = [request.param('id'), request.param('transitionId')]
      const transition = await engine.workflows.changeTransition(caller.project, id, transitionId, body)
      return changedPart(TransitionAnswer.of(transition), transition)
    },
  },
  {
    method: 'DELETE',
    path: '/workflows/:id/transitions/:transitionId',
    operation: 'deleteTransition',
    summary: 'Delete a transition',
    description: 'Executions that reach its place then end there.',
    access: 'secret',
    takes: { query: RemoveTransition },
    gives: { 204: null },
    async handle(engine, request) {
      const { caller, query } = request
      const [id, transitionId] = [request.param('id'), request.param('transitionId')]
      return removedFrom(await engine.workflows.removeTransition(caller.project, id, transitionId, query))
    },
  },
]
