import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Seed lists: mailboxes at receivers that are read, and where the mail of campaigns landed in them. */
export class SeedLists extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(
      `create table "seed_mailboxes" ("id" uuid not null, "project_id" uuid not null, "address" text collate "C" not null, "host" text collate "C" not null, "port" int not null, "security" text collate "C" not null, "user" text collate "C" not null, "sealed" text collate "C" not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"))`,
    )
    this.addSql(`create index "seed_mailboxes_page" on "seed_mailboxes" ("project_id", "id")`)
    this.addSql(
      `create table "seed_tests" ("id" uuid not null, "project_id" uuid not null, "campaign_id" uuid not null, "variant" text collate "C" null, "minutes" int not null, "waits" boolean not null, "results" jsonb not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"))`,
    )
    this.addSql(`create index "seed_tests_page" on "seed_tests" ("project_id", "campaign_id", "id")`)
    this.addSql(`create index "seed_tests_created" on "seed_tests" ("created_at")`)
    this.addSql(`create index "seed_tests_waiting" on "seed_tests" ("waits", "updated_at")`)
  }
}
