import { defineEntity, p } from '@mikro-orm/core'

/** One way from a step to the next a row. */
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
