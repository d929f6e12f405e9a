import { defineEntity, p } from '@mikro-orm/core'

/** Transitions from one workflow step to the next, one per row. */
export const WorkflowTransitionRow = defineEntity({
  name: 'WorkflowTransitionRow',
  tableName: 'workflow_transitions',
  properties: {
    id: p.uuid().primary(),
    projectId: p.uuid(),
    workflowId: p.uuid(),
    fromStepId: p.uuid(),
    toStepId: p.uuid(),
    branch: p.text().nullable(),
    priority: p.integer(),
    automatic: p.boolean().nullable(),
  },
  indexes: [{ name: 'workflow_transitions_of', properties: ['projectId', 'workflowId'] }],
})
