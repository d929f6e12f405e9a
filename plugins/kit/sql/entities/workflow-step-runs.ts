import { defineEntity, p } from '@mikro-orm/core'
import type { JsonObject } from '../../../../core/values/json.ts'

/** Step runs, one per row: an execution on one step. */
export const WorkflowStepRunRow = defineEntity({
  name: 'WorkflowStepRunRow',
  tableName: 'workflow_step_runs',
  properties: {
    id: p.uuid().primary(),
    projectId: p.uuid(),
    workflowId: p.uuid(),
    executionId: p.uuid(),
    stepId: p.uuid(),
    status: p.text(),
    output: p.json().$type<JsonObject>().nullable(),
    error: p.text().nullable(),
    startedAt: p.datetime(3),
    completedAt: p.datetime(3).nullable(),
  },
  indexes: [
    { name: 'workflow_step_runs_of', properties: ['executionId', 'id'] },
    {
      name: 'workflow_step_runs_counts',
      properties: ['projectId', 'workflowId', 'stepId', 'status', 'executionId'],
    },
  ],
})
