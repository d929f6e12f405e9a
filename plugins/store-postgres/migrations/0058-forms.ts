import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Sign-up forms, and what was sent by them. */
export class Forms extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(
      `create table "forms" ("id" uuid not null, "project_id" uuid not null, "name" text collate "C" not null, "active" boolean not null, "texts" jsonb not null, "fields" jsonb not null, "consent" text collate "C" not null, "topic_ids" jsonb not null, "double_opt_in" boolean not null, "origins" jsonb not null, "redirect_url" text collate "C" null, "attacked_at" timestamptz(3) null, "shown" integer not null, "submitted" integer not null, "confirmed" integer not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"))`,
    )
    this.addSql(`create index "forms_page" on "forms" ("project_id", "id")`)
    this.addSql(
      `create table "form_submissions" ("id" uuid not null, "project_id" uuid not null, "form_id" uuid not null, "contact_id" uuid not null, "answers" jsonb not null, "consent" text collate "C" not null, "topics" jsonb null, "address" text collate "C" null, "outcome" text collate "C" not null, "created_at" timestamptz(3) not null, "confirmed_at" timestamptz(3) null, primary key ("id"))`,
    )
    this.addSql(`create index "form_submissions_page" on "form_submissions" ("project_id", "form_id", "id")`)
    this.addSql(`create index "form_submissions_contact" on "form_submissions" ("contact_id")`)
  }
}
