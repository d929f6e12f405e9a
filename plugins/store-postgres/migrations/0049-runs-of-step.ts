import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Lists the executions that came through a step in their order; it counts them as before. */
export class RunsOfStep extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql('drop index "workflow_step_runs_counts"')
    this.addSql(
      `create index "workflow_step_runs_counts" on "workflow_step_runs" ("project_id", "workflow_id", "step_id", "status", "execution_id")`,
    )
  }
}
