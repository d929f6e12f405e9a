import { Migration } from '@mikro-orm/migrations'

/** Inboxes keep their messages for so many days. */
export class InboxRetention extends Migration {
  override up(): void {
    this.addSql(`alter table "inboxes" add column "retention_days" integer null`)
    this.addSql(`create index "inboxes_retention" on "inboxes" ("id") where retention_days is not null`)
  }
}
