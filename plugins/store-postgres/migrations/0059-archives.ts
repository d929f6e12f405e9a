import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Public archives of projects, and the campaigns in them. */
export class Archives extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(`alter table "projects" add column "archive_slug" text null`)
    this.addSql(`alter table "projects" add column "sign_up_url" text null`)
    this.addSql(`create unique index "projects_archive" on "projects" ("archive_slug") where archive_slug is not null`)
    this.addSql(`alter table "campaigns" add column "published_at" timestamptz(3) null`)
    this.addSql(
      `create index "campaigns_published" on "campaigns" ("project_id", "sent_at", "id") where published_at is not null`,
    )
  }
}
