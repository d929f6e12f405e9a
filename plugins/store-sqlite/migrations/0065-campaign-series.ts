import { Migration } from '@mikro-orm/migrations'

/** Series of campaigns, what they have seen of their feeds, and which series a campaign is an issue of. */
export class CampaignSeries extends Migration {
  override up(): void {
    this.addSql(
      `create table "campaign_series" ("id" text not null, "project_id" text not null, "name" text not null, "campaign_id" text not null, "rhythm" json not null, "feed_url" text null, "feed" json null, "sends" integer not null, "next_at" datetime null, "last_at" datetime null, "issues" integer not null, "problem" text null, "created_at" datetime not null, "updated_at" datetime not null, primary key ("id"))`,
    )
    this.addSql(`create index "campaign_series_page" on "campaign_series" ("project_id", "id")`)
    this.addSql(`create index "campaign_series_due" on "campaign_series" ("next_at", "id") where next_at is not null`)
    this.addSql(
      `create table "campaign_series_items" ("series_id" text not null, "key" text not null, "project_id" text not null, "seen_at" datetime not null, "campaign_id" text null, primary key ("series_id", "key"))`,
    )
    this.addSql(`create index "campaign_series_items_by_time" on "campaign_series_items" ("series_id", "seen_at")`)
    this.addSql(`alter table "campaigns" add column "series_id" text null`)
    this.addSql(`create index "campaigns_by_series" on "campaigns" ("series_id", "id") where series_id is not null`)
  }
}
