import { Migration } from '@mikro-orm/migrations'

/** Inboxes have rules for what comes in, and blocked senders. */
export class InboxRules extends Migration {
  override up(): void {
    this.addSql(`alter table "inboxes" add column "rules" json null`)
    this.addSql(`alter table "inboxes" add column "blocked" json null`)
    this.addSql(`alter table "inboxes" add column "filter_spam" integer null`)
  }
}
