import { Migration } from '@mikro-orm/migrations'

/** What a campaign sends again, and where it is kept: its folder, its note, and whether it was put away. */
export class CampaignFiling extends Migration {
  override up(): void {
    this.addSql(`alter table "campaigns" add column "origin_id" text null`)
    this.addSql(`alter table "campaigns" add column "folder" text null`)
    this.addSql(`alter table "campaigns" add column "note" text null`)
    this.addSql(`alter table "campaigns" add column "shelved_at" datetime null`)
    this.addSql(`create index "campaigns_by_origin" on "campaigns" ("origin_id", "id") where origin_id is not null`)
    this.addSql(
      `create index "campaigns_by_folder" on "campaigns" ("project_id", "folder", "id") where folder is not null`,
    )
  }
}
