import { Migration } from '@mikro-orm/migrations'

/** What templates are called by in requests. Those from before have none until they are given one. */
export class TemplateSlugs extends Migration {
  override up(): void {
    this.addSql(`alter table "templates" add column "slug" text null`)
    this.addSql(`create unique index "templates_slug" on "templates" ("project_id", "slug")`)
  }
}
