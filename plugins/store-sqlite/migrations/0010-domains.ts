import { Migration } from '@mikro-orm/migrations'

/** Projects' sending domains. */
export class Domains extends Migration {
  override up(): void {
    this.addSql(
      `create table "domains" ("id" text not null primary key, "project_id" text not null, "domain" text not null, "status" text not null, "keys" json not null, "findings" json not null, "failures" integer not null, "proven_at" datetime null, "last_checked_at" datetime null, "noticed_at" datetime null, "due_at" datetime not null, "created_at" datetime not null, "updated_at" datetime not null)`,
    )
    this.addSql(`create index "domains_by_project" on "domains" ("project_id")`)
    this.addSql(`create index "domains_due" on "domains" ("due_at", "id")`)
    this.addSql(`create unique index "domains_domain" on "domains" ("domain")`)
  }
}
