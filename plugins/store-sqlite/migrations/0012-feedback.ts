import { Migration } from '@mikro-orm/migrations'

/** Feedback about sent mail: soft bounces, the index of mails by their provider's id, and reports already seen. */
export class Feedback extends Migration {
  override up(): void {
    this.addSql(`alter table "emails" add column "soft_bounced_at" datetime null`)
    this.addSql(
      `create index "emails_by_provider" on "emails" ("provider_id") where provider_id is not null and (delivered_at is null or delivered_at <> sent_at)`,
    )
    this.addSql(
      `create table "feedback_reports" ("email_id" text not null, "key" text not null, "at" datetime not null, primary key ("email_id", "key"))`,
    )
    this.addSql(`create index "feedback_reports_at" on "feedback_reports" ("at")`)
  }
}
