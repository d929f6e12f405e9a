import { Migration } from '@mikro-orm/migrations'

/** Sign-up forms, and what was sent by them. */
export class Forms extends Migration {
  override up(): void {
    this.addSql(
      `create table "forms" ("id" text not null, "project_id" text not null, "name" text not null, "active" integer not null, "texts" json not null, "fields" json not null, "consent" text not null, "topic_ids" json not null, "double_opt_in" integer not null, "origins" json not null, "redirect_url" text null, "attacked_at" datetime null, "shown" integer not null, "submitted" integer not null, "confirmed" integer not null, "created_at" datetime not null, "updated_at" datetime not null, primary key ("id"))`,
    )
    this.addSql(`create index "forms_page" on "forms" ("project_id", "id")`)
    this.addSql(
      `create table "form_submissions" ("id" text not null, "project_id" text not null, "form_id" text not null, "contact_id" text not null, "answers" json not null, "consent" text not null, "topics" json null, "address" text null, "outcome" text not null, "created_at" datetime not null, "confirmed_at" datetime null, primary key ("id"))`,
    )
    this.addSql(`create index "form_submissions_page" on "form_submissions" ("project_id", "form_id", "id")`)
    this.addSql(`create index "form_submissions_contact" on "form_submissions" ("contact_id")`)
  }
}
