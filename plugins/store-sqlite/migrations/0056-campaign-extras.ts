import { Migration } from '@mikro-orm/migrations'

/** Header fields, attachments and parameters of links of campaigns, the last also of projects. */
export class CampaignExtras extends Migration {
  override up(): void {
    for (const column of ['headers', 'attachments', 'utm'])
      this.addSql(`alter table "campaigns" add column "${column}" json null`)
    this.addSql(`alter table "projects" add column "utm" json null`)
    this.addSql(
      `create table "campaign_attachments" ("id" text not null, "project_id" text not null, "bytes" blob not null, primary key ("id"))`,
    )
  }
}
