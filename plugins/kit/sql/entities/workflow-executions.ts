import { defineEntity, p } from '@mikro-orm/core'
import type { JsonObject } from '../../../../core/values/json.ts'
import { claimColumns } from '../engine/claim.ts'

/**
 * Workflow executions, one per row, with the lease of the worker. The unique indexes enforce the rules of re-entry. Due
 * executions have an index of their own, however many wait.
 */
export const WorkflowExecutionRow = defineEntity({
  name: 'WorkflowExecutionRow',
  tableName: 'workflow_executions',
  properties: {
    id: p.uuid().primary(),
    projectId: p.uuid(),
    workflowId: p.uuid(),
    contactId: p.uuid(),
    status: p.text(),
    currentStepId: p.uuid().nullable(),
    exitReason: p.text().nullable(),
    error: p.text().nullable(),
    context: p.json().$type<JsonObject>(),
    eventId: p.uuid().nullable(),
    event: p.json().$type<JsonObject>(),
    once: p.boolean(),
    dueAt: p.datetime(3).nullable(),
    waitingFor: p.text().nullable(),
    attempts: p.integer(),
    startedAt: p.datetime(3),
    completedAt: p.datetime(3).nullable(),
    goalAt: p.datetime(3).nullable(),
    redactedAt: p.datetime(3).nullable(),
    updatedAt: p.datetime(3),
    ...claimColumns(),
  },
  indexes: [
    { name: 'workflow_executions_alone', properties: ['dueAt', 'id'], where: 'interrupted >= 2' },
    { name: 'workflow_executions_page', properties: ['projectId', 'workflowId', 'id'] },
    { name: 'workflow_executions_by_status', properties: ['projectId', 'workflowId', 'status', 'id'] },
    { name: 'workflow_executions_due', properties: ['dueAt', 'id'], where: 'due_at is not null' },
    { name: 'workflow_executions_started', properties: ['projectId', 'startedAt'] },
    {
      name: 'workflow_executions_completed',
      properties: ['projectId', 'completedAt'],
      where: "status in ('COMPLETED', 'EXITED')",
    },
    {
      name: 'workflow_executions_goal',
      properties: ['projectId', 'workflowId', 'id'],
      where: 'goal_at is not null',
    },
    { name: 'workflow_executions_of_contact', properties: ['contactId', 'id'] },
    {
      name: 'workflow_executions_awaiting',
      properties: ['contactId', 'waitingFor'],
      where: 'waiting_for is not null',
    },
  ],
  uniques: [
    { name: 'workflow_executions_event', properties: ['eventId', 'workflowId'], where: 'event_id is not null' },
    { name: 'workflow_executions_once', properties: ['workflowId', 'contactId'], where: 'once' },
    {
      name: 'workflow_executions_now',
      properties: ['workflowId', 'contactId'],
      where: "status in ('RUNNING', 'WAITING')",
    },
  ],
})
