/* SQL by hand: one statement for the runs of many executions. */
import type { StepRun, StepRunRepository, StepRunStatus } from '../../../../../core/ports/store/step-runs.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { Repository } from '../../engine/repository.ts'
import type { Params } from '../../engine/session.ts'

/** The runs of executions through the steps of their workflows. */
export class SqlStepRuns extends Repository implements StepRunRepository {
  of(projectId: ProjectId, executionIds: readonly string[]): Promise<readonly StepRun[]> {
    const { dialect } = this
    const all = `"execution_id" ${dialect.listed('uuid')} and ("project_id" = ?) is true order by "id"`
    return this.#runs(all, [dialect.list(executionIds), projectId])
  }

  open(projectId: ProjectId, executionIds: readonly string[]): Promise<readonly StepRun[]> {
    const { dialect } = this
    const open = `"execution_id" ${dialect.listed('uuid')} and ("project_id" = ?) is true
      and "status" in ('RUNNING', 'WAITING')`
    return this.#runs(`${open} order by "id"`, [dialect.list(executionIds), projectId])
  }

  async counts(
    projectId: ProjectId,
    workflowId: string,
  ): Promise<readonly { readonly stepId: string; readonly status: StepRunStatus; readonly count: number }[]> {
    const sql = `select "step_id", "status", count(*) as "count" from "workflow_step_runs"
      where "project_id" = ? and "workflow_id" = ? group by "step_id", "status" order by "step_id", "status"`
    const rows = await this.access.scan(projectId, (session) => session.all(sql, [projectId, workflowId]))
    return rows.map((row) => ({
      stepId: String(row.step_id),
      status: row.status as StepRunStatus,
      count: Number(row.count),
    }))
  }

  async #runs(where: string, params: Params): Promise<readonly StepRun[]> {
    const { stepRuns } = this.tables
    const sql = `select ${stepRuns.list} from "workflow_step_runs" where ${where}`
    const rows = await this.access.all(sql, params)
    return rows.map((row) => stepRuns.record(row))
  }
}
