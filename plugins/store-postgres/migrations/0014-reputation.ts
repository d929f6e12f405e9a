import { Migration } from '@mikro-orm/migrations'
import { UNHURRIED } from './unhurried.ts'

/** How well mail arrives, by the domains it is from and to, and what operators were told. */
export class Reputation extends Migration {
  override up(): void {
    this.addSql(UNHURRIED)
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
    // what operators are told of domains is in the same place
    this.addSql(`alter table "domains" drop column "noticed_at"`)
  }
}
