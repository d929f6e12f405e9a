import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'
import { SEND_FUNCTIONS } from './send-functions.ts'

/** Mails that other programs ask for in the database, and the functions with which they do. */
export class SendRequests extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(
      `create table "send_requests" ("id" uuid not null primary key, "project_id" uuid not null, "mail" jsonb null, "size" integer not null, "idempotency_key" text collate "C" null, "fingerprint" text collate "C" null, "status" text collate "C" not null, "outcome" jsonb null, "attempts" integer not null, "due_at" timestamptz(3) not null, "created_at" timestamptz(3) not null, "done_at" timestamptz(3) null, "lease_token" text collate "C" null, "lease_until" timestamptz(3) null)`,
    )
    this.addSql(`create index "send_requests_due" on "send_requests" ("due_at", "id") where status = 'WAITING'`)
    this.addSql(`create index "send_requests_done" on "send_requests" ("done_at") where done_at is not null`)
    this.addSql(
      `create unique index "send_requests_key" on "send_requests" ("project_id", "idempotency_key") where idempotency_key is not null and status <> 'REFUSED'`,
    )
    for (const sql of SEND_FUNCTIONS) this.addSql(sql)
  }
}
