import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** What templates were, and drafts of what they are to be. */
export class TemplateVersions extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(`alter table "templates" add column "version" int not null default 1`)
    this.addSql(
      `create table "template_versions" ("id" uuid not null, "project_id" uuid not null, "template_id" uuid not null, "number" int not null, "fields" jsonb not null, "changed" jsonb not null, "restored_from" int null, "author_type" text collate "C" not null, "author_id" text collate "C" null, "author_name" text collate "C" not null, "created_at" timestamptz(3) not null, primary key ("id"))`,
    )
    this.addSql(`create unique index "template_versions_number" on "template_versions" ("template_id", "number")`)
    this.addSql(
      `create table "template_drafts" ("template_id" uuid not null, "project_id" uuid not null, "fields" jsonb not null, "version" int not null, "revision" text collate "C" not null, "author_type" text collate "C" not null, "author_id" text collate "C" null, "author_name" text collate "C" not null, "updated_at" timestamptz(3) not null, primary key ("template_id"))`,
    )
  }
}
