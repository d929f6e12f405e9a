import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Who changed what. */
export class AuditEntries extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(
      `create table "audit_entries" ("id" uuid not null, "project_id" uuid null, "at" timestamptz(3) not null, "action" text collate "C" not null, "actor_type" text collate "C" not null, "actor_id" text collate "C" not null, "actor_name" text collate "C" not null, "target_type" text collate "C" not null, "target_id" text collate "C" null, "created_id" text collate "C" null, "fields" jsonb not null, "outcome" text collate "C" not null, "request_id" text collate "C" not null, "address" text collate "C" null, primary key ("id"))`,
    )
    this.addSql(`create index "audit_entries_page" on "audit_entries" ("project_id", "id")`)
    this.addSql(`create index "audit_entries_actor" on "audit_entries" ("actor_id", "id")`)
  }
}
