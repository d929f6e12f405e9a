import type { ProjectId } from '../../values/project-id.ts'
import type { Execution } from './executions.ts'

/** The goals of workflows, and the executions that reach them. */
export interface GoalRepository {
  /** Workflows of the project, disabled ones too, whose goal is one of these events. */
  withGoals(
    projectId: ProjectId,
    eventNames: readonly string[],
  ): Promise<readonly { readonly id: string; readonly goalEvent: string }[]>
  /** Active executions of these contacts in these workflows, locked until the transaction ends. */
  activeAmong(
    projectId: ProjectId,
    pairs: readonly { readonly workflowId: string; readonly contactId: string }[],
  ): Promise<readonly Execution[]>
}
