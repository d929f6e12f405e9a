import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Series of campaigns, what they have seen of their feeds, and which series a campaign is an issue of. */
export class CampaignSeries extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(
      `create table "campaign_series" ("id" uuid not null, "project_id" uuid not null, "name" text collate "C" not null, "campaign_id" uuid not null, "rhythm" jsonb not null, "feed_url" text collate "C" null, "feed" jsonb null, "sends" boolean not null, "next_at" timestamptz(3) null, "last_at" timestamptz(3) null, "issues" int not null, "problem" text collate "C" null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"))`,
    )
    this.addSql(`create index "campaign_series_page" on "campaign_series" ("project_id", "id")`)
    this.addSql(`create index "campaign_series_due" on "campaign_series" ("next_at", "id") where next_at is not null`)
    this.addSql(
      `create table "campaign_series_items" ("series_id" uuid not null, "key" text collate "C" not null, "project_id" uuid not null, "seen_at" timestamptz(3) not null, "campaign_id" uuid null, primary key ("series_id", "key"))`,
    )
    this.addSql(`create index "campaign_series_items_by_time" on "campaign_series_items" ("series_id", "seen_at")`)
    this.addSql(`alter table "campaigns" add column "series_id" uuid null`)
    this.addSql(`create index "campaigns_by_series" on "campaigns" ("series_id", "id") where series_id is not null`)
  }
}
