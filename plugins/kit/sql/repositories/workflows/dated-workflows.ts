/* SQL by hand: begins rows that no other process is about to begin, in one statement. */
import type { DatedWorkflowRepository } from '../../../../../core/ports/store/dated-workflows.ts'
import type { Workflow } from '../../../../../core/ports/store/workflows.ts'
import { Repository } from '../../engine/repository.ts'

/** The workflows that a date of contacts starts. */
export class SqlDatedWorkflows extends Repository implements DatedWorkflowRepository {
  async begin(now: Date, until: Date, limit: number): Promise<readonly Workflow[]> {
    const { dialect, tables } = this
    const [date, boolean] = [dialect.encode('date'), dialect.encode('boolean')]
    // one that is locked is about to be changed, so it is left for later
    const free = dialect.firstFree('"workflows"', `"due_at" <= ? and ${RUNS}`, '"due_at", "id"')
    const sql = `update "workflows" set "due_at" = ? where ${free} returning ${tables.workflows.list}`
    const params = [date(until), date(now), boolean(false), limit]
    const rows = await this.access.writeOnce((session) => session.all(sql, params))
    return rows.map((row) => tables.workflows.record(row))
  }

  async nextDue(): Promise<Date | undefined> {
    const sql = `select "due_at" from "workflows" where "due_at" is not null and ${RUNS} order by "due_at" limit 1`
    const [row] = await this.access.all(sql, [this.dialect.encode('boolean')(false)])
    return row && this.tables.workflows.record(row).dueAt
  }
}

/** A condition: their project is not disabled. */
const RUNS = `exists (select 1 from "projects" as p where p."id" = "workflows"."project_id" and p."disabled" = ?)`
