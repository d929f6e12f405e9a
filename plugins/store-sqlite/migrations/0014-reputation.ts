import { Migration } from '@mikro-orm/migrations'

/** How well mail arrives, by sending and recipient domain and by domain tests, and when operators were told what. */
export class Reputation extends Migration {
  override up(): void {
    this.addSql(
      `create table "delivery_counts" ("day" integer not null, "project_id" text not null, "sending_domain" text not null, "recipient_domain" text not null, "slot" integer not null, "sent" integer not null, "delivered" integer not null, "deferred" integer not null, "bounced" integer not null, "complained" integer not null, primary key ("day", "project_id", "sending_domain", "recipient_domain", "slot"))`,
    )
    this.addSql(
      `create index "delivery_counts_senders" on "delivery_counts" ("project_id", "sending_domain", "day") where recipient_domain = ''`,
    )
    this.addSql(
      `create table "delivery_refusals" ("project_id" text not null, "sending_domain" text not null, "recipient_domain" text not null, "code" text not null, "text" text not null, "at" datetime not null, primary key ("project_id", "sending_domain", "recipient_domain", "code"))`,
    )
    this.addSql(`create index "delivery_refusals_recipients" on "delivery_refusals" ("project_id", "recipient_domain")`)
    this.addSql(`create index "delivery_refusals_at" on "delivery_refusals" ("at")`)
    this.addSql(
      `create table "notices" ("project_id" text not null, "kind" text not null, "at" datetime not null, primary key ("project_id", "kind"))`,
    )
    this.addSql(
      `create table "domain_tests" ("id" text not null, "project_id" text not null, "domain_id" text not null, "to" text not null, "is_ours" integer not null, "is_marketing" integer not null, "arrival" json null, "created_at" datetime not null, primary key ("id"))`,
    )
    this.addSql(`create index "domain_tests_by_domain" on "domain_tests" ("domain_id", "created_at")`)
    this.addSql(`create index "domain_tests_created" on "domain_tests" ("created_at")`)
    // the new table also holds what operators were told about domains
    this.addSql(`alter table "domains" drop column "noticed_at"`)
  }
}
