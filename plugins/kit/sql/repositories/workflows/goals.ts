import type { Execution } from '../../../../../core/ports/store/executions.ts'
import type { GoalRepository } from '../../../../../core/ports/store/goals.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { Repository } from '../../engine/repository.ts'
import { Rows } from '../../engine/rows.ts'

/** The goals of workflows, and the executions that reach them. */
export class SqlGoals extends Repository implements GoalRepository {
  async withGoals(
    projectId: ProjectId,
    eventNames: readonly string[],
  ): Promise<readonly { readonly id: string; readonly goalEvent: string }[]> {
    const workflows = new Rows(this.access, this.tables.workflows)
    const where = { $and: [{ projectId, goalEvent: { $ne: null } }, workflows.among('goalEvent', eventNames)] }
    const found = await workflows.some(['id', 'goalEvent'], where)
    return found.map(({ id, goalEvent = '' }) => ({ id, goalEvent }))
  }

  async activeAmong(
    projectId: ProjectId,
    pairs: readonly { readonly workflowId: string; readonly contactId: string }[],
  ): Promise<readonly Execution[]> {
    if (pairs.length === 0) return []
    const { dialect } = this
    const sql = `select ${this.tables.executions.listOf('x', ['leaseToken', 'leaseUntil'])} from ${dialect.given(PLACES)} as given
      join ${dialect.byIndex('workflow_executions', 'workflow_executions_now', 'x')} on x."workflow_id" = given."of_workflow" and x."contact_id" = given."of_contact"
      where x."project_id" = ? and x."status" in ('RUNNING', 'WAITING') order by x."id"${dialect.lockRows('x')}`
    const unique = new Map(
      pairs.map(({ workflowId, contactId }) => [`${workflowId} ${contactId}`, [workflowId, contactId]]),
    )
    const params = [...dialect.givenParams(PLACES, [...unique.values()]), projectId]
    const rows = await this.access.all(sql, params)
    return rows.map((row) => this.tables.executions.record(row))
  }

  awaitInstead(
    projectId: ProjectId,
    workflowId: string,
    { from, to }: { readonly from: string; readonly to: string },
    limit: number,
  ): Promise<number> {
    const sql = `update "workflow_executions" set "waiting_for" = ? where "id" in (select "id" from "workflow_executions"
      where "project_id" = ? and "workflow_id" = ? and "status" = 'WAITING' and "waiting_for" = ? order by "id" limit ?)`
    return this.access.writeOnce((session) => session.run(sql, [to, projectId, workflowId, from, limit]))
  }
}

const PLACES = [
  { name: 'of_workflow', kind: 'uuid' },
  { name: 'of_contact', kind: 'uuid' },
] as const
