import { Migration } from '@mikro-orm/migrations'

/** What templates were, and drafts of what they are to be. */
export class TemplateVersions extends Migration {
  override up(): void {
    this.addSql(`alter table "templates" add column "version" integer not null default 1`)
    this.addSql(
      `create table "template_versions" ("id" text not null, "project_id" text not null, "template_id" text not null, "number" integer not null, "fields" json not null, "changed" json not null, "restored_from" integer null, "author_type" text not null, "author_id" text null, "author_name" text not null, "created_at" datetime not null, primary key ("id"))`,
    )
    this.addSql(`create unique index "template_versions_number" on "template_versions" ("template_id", "number")`)
    this.addSql(
      `create table "template_drafts" ("template_id" text not null, "project_id" text not null, "fields" json not null, "version" integer not null, "revision" text not null, "author_type" text not null, "author_id" text null, "author_name" text not null, "updated_at" datetime not null, primary key ("template_id"))`,
    )
  }
}
