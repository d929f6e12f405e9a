import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Snippets, which bodies render by their names, and layouts around bodies. */
export class ReusedContent extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(
      `create table "snippets" ("id" uuid not null, "project_id" uuid not null, "name" text collate "C" not null, "description" text collate "C" null, "body" text collate "C" not null, "renders" jsonb not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"))`,
    )
    this.addSql(`create index "snippets_page" on "snippets" ("project_id", "id")`)
    this.addSql(`alter table "snippets" add constraint "snippets_name" unique ("project_id", "name")`)
    this.addSql(
      `create table "layouts" ("id" uuid not null, "project_id" uuid not null, "name" text collate "C" not null, "description" text collate "C" null, "body" text collate "C" not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"))`,
    )
    this.addSql(`create index "layouts_page" on "layouts" ("project_id", "id")`)
    this.addSql(`alter table "templates" add column "layout_id" uuid null`)
    this.addSql(`alter table "campaigns" add column "layout_id" uuid null`)
  }
}
