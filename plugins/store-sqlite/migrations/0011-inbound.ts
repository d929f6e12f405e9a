import { Migration } from '@mikro-orm/migrations'

/** Received messages that wait to be read, and which contents were received. */
export class Inbound extends Migration {
  override up(): void {
    this.addSql(
      `create table "inbound_messages" ("id" text not null primary key, "project_id" text not null, "sender" text not null, "recipients" json not null, "raw" blob not null, "remote_address" text not null, "helo" text not null, "tls" integer not null, "attempts" integer not null, "due_at" datetime not null, "received_at" datetime not null, "lease_token" text null, "lease_until" datetime null)`,
    )
    this.addSql(`create index "inbound_messages_due" on "inbound_messages" ("due_at", "id")`)
    this.addSql(`alter table "mail_contents" add column "received" integer null`)
  }
}
