import { Migration } from '@mikro-orm/migrations'

/** The audit log keeps the name of what was changed, and what it is part of; it is narrowed by kind. */
export class AuditNames extends Migration {
  override up(): void {
    this.addSql(`alter table "audit_entries" add column "target_name" text null`)
    this.addSql(`alter table "audit_entries" add column "parent_type" text null`)
    this.addSql(`alter table "audit_entries" add column "parent_id" text null`)
    this.addSql(`create index "audit_entries_kind" on "audit_entries" ("project_id", "target_type", "id")`)
  }
}
