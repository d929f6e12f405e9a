import { Migration } from '@mikro-orm/migrations'

/** The order of a project's imports in a list. */
export class ImportList extends Migration {
  override up(): void {
    this.addSql(`create index "contact_jobs_newest" on "contact_jobs" ("project_id", "type", "id")`)
  }
}
