import type { WorkflowActivity } from '../../../../../core/ports/store/activity.ts'
import type { ExecutionStatus } from '../../../../../core/ports/store/executions.ts'
import type { Row } from '../../engine/session.ts'

/** What is told of an execution, and the tables it is read from beside it. */
export const EXECUTION_COLUMNS = `x."id", x."workflow_id", x."contact_id", x."status", w."name" as "workflow_name",
  c."email" as "contact_email"`
export const OF_EXECUTION = `join "workflows" as w on w."id" = x."workflow_id"
  left join "contacts" as c on c."id" = x."contact_id" and c."project_id" = x."project_id"`

export function executionIn(row: Row, at: Date): Omit<WorkflowActivity, 'type'> {
  const { id, workflow_id, workflow_name, contact_id, contact_email, status } = row
  return {
    at,
    executionId: String(id),
    workflowId: String(workflow_id),
    workflowName: String(workflow_name),
    status: status as ExecutionStatus,
    contactId: String(contact_id),
    ...(contact_email === null ? {} : { contactEmail: String(contact_email) }),
  }
}
