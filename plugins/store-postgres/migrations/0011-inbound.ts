import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Received messages that wait to be read, and which contents were received. */
export class Inbound extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(
      `create table "inbound_messages" ("id" uuid not null primary key, "project_id" uuid not null, "sender" text not null, "recipients" jsonb not null, "raw" bytea not null, "remote_address" text not null, "helo" text not null, "tls" boolean not null, "attempts" integer not null, "due_at" timestamptz(3) not null, "received_at" timestamptz(3) not null, "lease_token" text null, "lease_until" timestamptz(3) null)`,
    )
    this.addSql(`create index "inbound_messages_due" on "inbound_messages" ("due_at", "id")`)
    this.addSql(`alter table "mail_contents" add column "received" boolean null`)
  }
}
