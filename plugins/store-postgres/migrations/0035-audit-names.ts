import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** The audit log keeps the name of what was changed, and what it is part of; it is narrowed by kind. */
export class AuditNames extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(
      `alter table "audit_entries" add "target_name" text collate "C" null, add "parent_type" text collate "C" null, add "parent_id" text collate "C" null`,
    )
    this.addSql(`create index "audit_entries_kind" on "audit_entries" ("project_id", "target_type", "id")`)
  }
}
