import { Migration } from '@mikro-orm/migrations'
import { VARIANT_TALLIES } from './campaign-tally-triggers.ts'

/** Variants of campaigns, and which of them a mail has; what became of the mails is counted by variant, too. */
export class CampaignVariants extends Migration {
  override up(): void {
    for (const column of ['variants', 'test']) this.addSql(`alter table "campaigns" add column "${column}" json null`)
    this.addSql(`alter table "emails" add column "variant" text null`)
    this.addSql(
      `create index "emails_campaign_variant" on "emails" ("campaign_id", "variant", "id") where variant is not null`,
    )
    for (const sql of VARIANT_TALLIES) this.addSql(sql)
  }
}
