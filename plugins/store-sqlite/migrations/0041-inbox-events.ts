import { Migration } from '@mikro-orm/migrations'

/** Events of inboxes, numbered by their inboxes, for those who follow them. */
export class InboxEvents extends Migration {
  override up(): void {
    this.addSql(
      `create table "inbox_events" ("inbox_id" text not null, "number" integer not null, "project_id" text not null, "name" text not null, "data" json not null, "at" datetime not null, primary key ("inbox_id", "number"))`,
    )
    this.addSql(`create index "inbox_events_at" on "inbox_events" ("at")`)
    this.addSql(`alter table "inboxes" add column "last_event" integer null`)
  }
}
