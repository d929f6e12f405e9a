import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Projects have a mode in which their mail is caught, and caught mails are listed. */
export class ProjectModes extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(`create index "emails_caught" on "emails" ("project_id", "id") where skip_reason = 'caught'`)
    this.addSql(
      `alter table "projects" add "mode" text collate "C" not null default 'live', add "allowed_recipients" jsonb null`,
    )
  }
}
