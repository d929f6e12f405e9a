import { Migration } from '@mikro-orm/migrations'

/** Snippets, which bodies render by their names, and layouts around bodies. */
export class ReusedContent extends Migration {
  override up(): void {
    this.addSql(
      `create table "snippets" ("id" text not null, "project_id" text not null, "name" text not null, "description" text null, "body" text not null, "renders" json not null, "created_at" datetime not null, "updated_at" datetime not null, primary key ("id"))`,
    )
    this.addSql(`create index "snippets_page" on "snippets" ("project_id", "id")`)
    this.addSql(`create unique index "snippets_name" on "snippets" ("project_id", "name")`)
    this.addSql(
      `create table "layouts" ("id" text not null, "project_id" text not null, "name" text not null, "description" text null, "body" text not null, "created_at" datetime not null, "updated_at" datetime not null, primary key ("id"))`,
    )
    this.addSql(`create index "layouts_page" on "layouts" ("project_id", "id")`)
    this.addSql(`alter table "templates" add column "layout_id" text null`)
    this.addSql(`alter table "campaigns" add column "layout_id" text null`)
  }
}
