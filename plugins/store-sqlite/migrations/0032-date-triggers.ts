import { Migration } from '@mikro-orm/migrations'

/** Conditions on the event that starts a workflow, and the dates that start one, with how far they were looked for. */
export class DateTriggers extends Migration {
  override up(): void {
    this.addSql('alter table "workflows" add column "event_trigger" json null')
    this.addSql('alter table "workflows" add column "date_trigger" json null')
    this.addSql('alter table "workflows" add column "started_until" datetime null')
    this.addSql('alter table "workflows" add column "due_at" datetime null')
    this.addSql('create index "workflows_due" on "workflows" ("due_at", "id") where due_at is not null')
  }
}
