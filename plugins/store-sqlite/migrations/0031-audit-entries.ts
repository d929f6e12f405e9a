import { Migration } from '@mikro-orm/migrations'

/** Who changed what. */
export class AuditEntries extends Migration {
  override up(): void {
    this.addSql(
      `create table "audit_entries" ("id" text not null, "project_id" text null, "at" datetime not null, "action" text not null, "actor_type" text not null, "actor_id" text not null, "actor_name" text not null, "target_type" text not null, "target_id" text null, "created_id" text null, "fields" json not null, "outcome" text not null, "request_id" text not null, "address" text null, primary key ("id"))`,
    )
    this.addSql(`create index "audit_entries_page" on "audit_entries" ("project_id", "id")`)
    this.addSql(`create index "audit_entries_actor" on "audit_entries" ("actor_id", "id")`)
  }
}
