import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Events of inboxes, numbered by their inboxes, for those who follow them. */
export class InboxEvents extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(
      `create table "inbox_events" ("inbox_id" uuid not null, "number" int not null, "project_id" uuid not null, "name" text collate "C" not null, "data" jsonb not null, "at" timestamptz(3) not null, primary key ("inbox_id", "number"))`,
    )
    this.addSql(`create index "inbox_events_at" on "inbox_events" ("at")`)
    this.addSql(`alter table "inboxes" add "last_event" int null`)
  }
}
