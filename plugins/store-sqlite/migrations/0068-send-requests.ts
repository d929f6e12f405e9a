import { Migration } from '@mikro-orm/migrations'

/** Mails that other programs have asked for in the database. Here, only a copy of a PostgreSQL database has any. */
export class SendRequests extends Migration {
  override up(): void {
    this.addSql(
      `create table "send_requests" ("id" text not null primary key, "project_id" text not null, "mail" json null, "size" integer not null, "idempotency_key" text null, "fingerprint" text null, "status" text not null, "outcome" json null, "attempts" integer not null, "due_at" datetime not null, "created_at" datetime not null, "done_at" datetime null, "lease_token" text null, "lease_until" datetime null)`,
    )
    this.addSql(`create index "send_requests_due" on "send_requests" ("due_at", "id") where status = 'WAITING'`)
    this.addSql(`create index "send_requests_done" on "send_requests" ("done_at") where done_at is not null`)
    this.addSql(
      `create unique index "send_requests_key" on "send_requests" ("project_id", "idempotency_key") where idempotency_key is not null and status <> 'REFUSED'`,
    )
  }
}
