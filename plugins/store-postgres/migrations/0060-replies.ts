import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Which received mail answers which mail of ours, and when a mail was first answered. */
export class Replies extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(`alter table "emails" add column "replied_at" timestamptz(3) null`)
    this.addSql(`alter table "emails" add column "in_reply_to" uuid null`)
    this.addSql(
      `create index "emails_campaign_replied" on "emails" ("campaign_id", "id") where campaign_id is not null and replied_at is not null`,
    )
    this.addSql(`create index "emails_replies" on "emails" ("in_reply_to", "id") where in_reply_to is not null`)
  }
}
