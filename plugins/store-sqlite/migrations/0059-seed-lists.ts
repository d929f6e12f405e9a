import { Migration } from '@mikro-orm/migrations'

/** Seed lists: mailboxes at receivers that are read, and where the mail of campaigns landed in them. */
export class SeedLists extends Migration {
  override up(): void {
    this.addSql(
      `create table "seed_mailboxes" ("id" text not null primary key, "project_id" text not null, "address" text not null, "host" text not null, "port" integer not null, "security" text not null, "user" text not null, "sealed" text not null, "created_at" datetime not null, "updated_at" datetime not null)`,
    )
    this.addSql(`create index "seed_mailboxes_page" on "seed_mailboxes" ("project_id", "id")`)
    this.addSql(
      `create table "seed_tests" ("id" text not null primary key, "project_id" text not null, "campaign_id" text not null, "variant" text null, "minutes" integer not null, "waits" integer not null, "results" json not null, "created_at" datetime not null, "updated_at" datetime not null)`,
    )
    this.addSql(`create index "seed_tests_page" on "seed_tests" ("project_id", "campaign_id", "id")`)
    this.addSql(`create index "seed_tests_created" on "seed_tests" ("created_at")`)
    this.addSql(`create index "seed_tests_waiting" on "seed_tests" ("waits", "updated_at")`)
  }
}
