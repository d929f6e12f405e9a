import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** How often claimed work was left behind by a process that ended, and that with which it is then worked on alone. */
export class Interrupted extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql('alter table "contact_jobs" add column "interrupted" int null')
    this.addSql('alter table "workflow_executions" add column "interrupted" int null')
    this.addSql('alter table "inbound_messages" add column "interrupted" int null')
    this.addSql('alter table "send_requests" add column "interrupted" int null')
    this.addSql('alter table "webhook_deliveries" add column "interrupted" int null')
    this.addSql('alter table "emails" add column "interrupted" int null')
    this.addSql(
      'create index "workflow_executions_alone" on "workflow_executions" ("due_at", "id") where interrupted >= 2',
    )
    this.addSql(
      'create index "webhook_deliveries_alone" on "webhook_deliveries" ("due_at", "id") where interrupted >= 2',
    )
    this.addSql('create index "emails_alone" on "emails" ("due_at", "id") where interrupted >= 2')
  }
}
