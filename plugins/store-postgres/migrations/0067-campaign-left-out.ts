import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** The contacts that were left out when the audience of a campaign was written. */
export class CampaignLeftOut extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(
      `create table "campaign_left_out" ("campaign_id" uuid not null, "reason" text collate "C" not null, "id" uuid not null, "project_id" uuid not null, "contact_id" uuid null, primary key ("campaign_id", "reason", "id"))`,
    )
    this.addSql(
      `create index "campaign_left_out_contact" on "campaign_left_out" ("contact_id") where contact_id is not null`,
    )
  }
}
