import type { Execution } from '../../../../../core/ports/store/executions.ts'
import type { GoalRepository } from '../../../../../core/ports/store/goals.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import type { Access } from '../../engine/access.ts'
import type { Tables } from '../../engine/tables.ts'

/** The goals of workflows, and the executions that reach them. */
export class SqlGoals implements GoalRepository {
  readonly #access: Access
  readonly #tables: Tables

  constructor(access: Access, tables: Tables) {
    this.#access = access
    this.#tables = tables
  }

  async withGoals(
    projectId: ProjectId,
    eventNames: readonly string[],
  ): Promise<readonly { readonly id: string; readonly goalEvent: string }[]> {
    const { dialect } = this.#access
    const sql = `select "id", "goal_event" from "workflows"
      where "project_id" = ? and "goal_event" is not null and "goal_event" ${dialect.listed('text')}`
    const rows = await this.#access.all(sql, [projectId, dialect.list(eventNames)])
    return rows.map((row) => ({ id: String(row.id), goalEvent: String(row.goal_event) }))
  }

  async activeAmong(
    projectId: ProjectId,
    pairs: readonly { readonly workflowId: string; readonly contactId: string }[],
  ): Promise<readonly Execution[]> {
    if (pairs.length === 0) return []
    const { dialect } = this.#access
    const sql = `select ${this.#tables.executions.listOf('x', ['leaseToken', 'leaseUntil'])} from ${dialect.given(PLACES)} as given
      join ${dialect.byIndex('workflow_executions', 'workflow_executions_now', 'x')} on x."workflow_id" = given."of_workflow" and x."contact_id" = given."of_contact"
      where x."project_id" = ? and x."status" in ('RUNNING', 'WAITING') order by x."id"${dialect.lockRows('x')}`
    const unique = new Map(
      pairs.map(({ workflowId, contactId }) => [`${workflowId} ${contactId}`, [workflowId, contactId]]),
    )
    const params = [...dialect.givenParams(PLACES, [...unique.values()]), projectId]
    const rows = await this.#access.all(sql, params)
    return rows.map((row) => this.#tables.executions.record(row))
  }
}

const PLACES = [
  { name: 'of_workflow', kind: 'uuid' },
  { name: 'of_contact', kind: 'uuid' },
] as const
