import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Projects' sending domains. */
export class Domains extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(
      `create table "domains" ("id" uuid not null, "project_id" uuid not null, "domain" text collate "C" not null, "status" text collate "C" not null, "keys" jsonb not null, "findings" jsonb not null, "failures" int not null, "proven_at" timestamptz(3) null, "last_checked_at" timestamptz(3) null, "noticed_at" timestamptz(3) null, "due_at" timestamptz(3) not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"))`,
    )
    this.addSql(`create index "domains_by_project" on "domains" ("project_id")`)
    this.addSql(`create index "domains_due" on "domains" ("due_at", "id")`)
    this.addSql(`alter table "domains" add constraint "domains_domain" unique ("domain")`)
  }
}
