import type { ProjectId } from '../../values/project-id.ts'
import type { Execution } from './executions.ts'

/** The goals of workflows, the executions that reach them, and the events that executions wait for. */
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
  /**
   * Lets up to `limit` WAITING executions of the workflow that wait for the event `from` wait for `to` instead, inside a
   * transaction; answers how many. Their contexts stay.
   */
  awaitInstead(
    projectId: ProjectId,
    workflowId: string,
    names: { readonly from: string; readonly to: string },
    limit: number,
  ): Promise<number>
}
