import { defineEntity, p } from '@mikro-orm/core'
import type { WorkflowStep } from '../../../../core/ports/store/workflows.ts'
import type { JsonObject } from '../../../../core/values/json.ts'

/** Workflow steps, one per row. */
export const WorkflowStepRow = defineEntity({
  name: 'WorkflowStepRow',
  tableName: 'workflow_steps',
  properties: {
    id: p.uuid().primary(),
    projectId: p.uuid(),
    workflowId: p.uuid(),
    type: p.text(),
    name: p.text(),
    position: p.json().$type<WorkflowStep['position']>(),
    config: p.json().$type<JsonObject>(),
    templateId: p.uuid().nullable(),
    createdAt: p.datetime(3),
  },
  indexes: [{ name: 'workflow_steps_of', properties: ['projectId', 'workflowId'] }],
})
