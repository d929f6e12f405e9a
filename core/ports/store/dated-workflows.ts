import type { Workflow } from './workflows.ts'

/** The enabled workflows that a date of contacts starts, of all projects that are not disabled. */
export interface DatedWorkflowRepository {
  /**
   * Begins those whose `dueAt` has come, the longest due first: it is `until` from then on, so that no other process
   * begins them as well.
   */
  begin(now: Date, until: Date, limit: number): Promise<readonly Workflow[]>
  /** The earliest `dueAt`. */
  nextDue(): Promise<Date | undefined>
}
