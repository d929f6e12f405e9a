import { Migration } from '@mikro-orm/migrations'

/** The contacts that were left out when the audience of a campaign was written. */
export class CampaignLeftOut extends Migration {
  override up(): void {
    this.addSql(
      `create table "campaign_left_out" ("campaign_id" text not null, "reason" text not null, "id" text not null, "project_id" text not null, "contact_id" text null, primary key ("campaign_id", "reason", "id"))`,
    )
    this.addSql(
      `create index "campaign_left_out_contact" on "campaign_left_out" ("contact_id") where contact_id is not null`,
    )
  }
}
