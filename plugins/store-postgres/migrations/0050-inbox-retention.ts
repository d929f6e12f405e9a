import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Inboxes keep their messages for so many days. */
export class InboxRetention extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(`alter table "inboxes" add "retention_days" int null`)
    this.addSql(`create index "inboxes_retention" on "inboxes" ("id") where retention_days is not null`)
  }
}
