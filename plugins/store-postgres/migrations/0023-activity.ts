import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Indexes for the list of activities, which reads workflows and campaigns in order of time. */
export class Activity extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(`create index "workflow_executions_started" on "workflow_executions" ("project_id", "started_at")`)
    this.addSql(
      `create index "workflow_executions_completed" on "workflow_executions" ("project_id", "completed_at") where status in ('COMPLETED', 'EXITED')`,
    )
    this.addSql(`create index "campaigns_sent" on "campaigns" ("project_id", "sent_at") where status = 'SENT'`)
  }
}
