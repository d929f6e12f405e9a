import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** How well mail arrives, by sending and recipient domain and by domain tests, and when operators were told what. */
export class Reputation extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(
      `create table "delivery_counts" ("day" int not null, "project_id" uuid not null, "sending_domain" text collate "C" not null, "recipient_domain" text collate "C" not null, "slot" int not null, "sent" int not null, "delivered" int not null, "deferred" int not null, "bounced" int not null, "complained" int not null, primary key ("day", "project_id", "sending_domain", "recipient_domain", "slot"))`,
    )
    this.addSql(
      `create index "delivery_counts_senders" on "delivery_counts" ("project_id", "sending_domain", "day") where recipient_domain = ''`,
    )
    this.addSql(
      `create table "delivery_refusals" ("project_id" uuid not null, "sending_domain" text collate "C" not null, "recipient_domain" text collate "C" not null, "code" text collate "C" not null, "text" text collate "C" not null, "at" timestamptz(3) not null, primary key ("project_id", "sending_domain", "recipient_domain", "code"))`,
    )
    this.addSql(`create index "delivery_refusals_recipients" on "delivery_refusals" ("project_id", "recipient_domain")`)
    this.addSql(`create index "delivery_refusals_at" on "delivery_refusals" ("at")`)
    this.addSql(
      `create table "notices" ("project_id" uuid not null, "kind" text collate "C" not null, "at" timestamptz(3) not null, primary key ("project_id", "kind"))`,
    )
    this.addSql(
      `create table "domain_tests" ("id" uuid not null, "project_id" uuid not null, "domain_id" uuid not null, "to" text collate "C" not null, "is_ours" boolean not null, "is_marketing" boolean not null, "arrival" jsonb null, "created_at" timestamptz(3) not null, primary key ("id"))`,
    )
    this.addSql(`create index "domain_tests_by_domain" on "domain_tests" ("domain_id", "created_at")`)
    this.addSql(`create index "domain_tests_created" on "domain_tests" ("created_at")`)
    // the new table also holds what operators were told about domains
    this.addSql(`alter table "domains" drop column "noticed_at"`)
  }
}
