import { Migration } from '@mikro-orm/migrations'

/** Due mail is claimed by project, so that each gets its share. */
export class DueByProject extends Migration {
  override up(): void {
    this.addSql(`drop index "emails_due"`)
    this.addSql(
      `create index "emails_due" on "emails" ("lane", "project_id", "due_at", "id") where status = 'QUEUED' and campaign_id is null`,
    )
  }
}
