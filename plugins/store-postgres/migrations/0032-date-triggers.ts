import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Conditions on the event that starts a workflow, and the dates that start one, with how far they were looked for. */
export class DateTriggers extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql('alter table "workflows" add column "event_trigger" jsonb null')
    this.addSql('alter table "workflows" add column "date_trigger" jsonb null')
    this.addSql('alter table "workflows" add column "started_until" timestamptz(3) null')
    this.addSql('alter table "workflows" add column "due_at" timestamptz(3) null')
    this.addSql('create index "workflows_due" on "workflows" ("due_at", "id") where due_at is not null')
  }
}
