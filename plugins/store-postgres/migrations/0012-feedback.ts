import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Feedback about sent mail: soft bounces, the index of mails by their provider's id, and reports already seen. */
export class Feedback extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(`alter table "emails" add column "soft_bounced_at" timestamptz(3) null`)
    this.addSql(
      `create index "emails_by_provider" on "emails" ("provider_id") where provider_id is not null and (delivered_at is null or delivered_at <> sent_at)`,
    )
    this.addSql(
      `create table "feedback_reports" ("email_id" uuid not null, "key" text collate "C" not null, "at" timestamptz(3) not null, primary key ("email_id", "key"))`,
    )
    this.addSql(`create index "feedback_reports_at" on "feedback_reports" ("at")`)
  }
}
