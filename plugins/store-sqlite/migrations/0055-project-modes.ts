import { Migration } from '@mikro-orm/migrations'

/** Projects have a mode in which their mail is caught, and caught mails are listed. */
export class ProjectModes extends Migration {
  override up(): void {
    this.addSql(`create index "emails_caught" on "emails" ("project_id", "id") where skip_reason = 'caught'`)
    this.addSql(`alter table "projects" add column "mode" text not null default 'live'`)
    this.addSql(`alter table "projects" add column "allowed_recipients" json null`)
  }
}
