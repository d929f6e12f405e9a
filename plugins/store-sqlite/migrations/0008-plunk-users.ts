import { Migration } from '@mikro-orm/migrations'

/** A project's sender, filters in Plunk's form, and which transitions were made automatically. */
export class PlunkUsers extends Migration {
  override up(): void {
    this.addSql(`alter table "projects" add column "from" json null`)
    this.addSql(`alter table "segments" add column "condition" json null`)
    this.addSql(`alter table "campaigns" add column "audience_condition" json null`)
    this.addSql(`alter table "workflow_transitions" add column "automatic" integer null`)
  }
}
