import { Migration } from '@mikro-orm/migrations'

/** The sender of a project, filters as Plunk writes them, and which transitions were drawn by themselves. */
export class PlunkUsers extends Migration {
  override up(): void {
    this.addSql(`alter table "projects" add column "from" json null`)
    this.addSql(`alter table "segments" add column "condition" json null`)
    this.addSql(`alter table "campaigns" add column "audience_condition" json null`)
    this.addSql(`alter table "workflow_transitions" add column "automatic" integer null`)
  }
}
