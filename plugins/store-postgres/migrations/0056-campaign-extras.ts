import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Header fields, attachments and parameters of links of campaigns, the last also of projects. */
export class CampaignExtras extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    for (const column of ['headers', 'attachments', 'utm'])
      this.addSql(`alter table "campaigns" add column "${column}" jsonb null`)
    this.addSql(`alter table "projects" add column "utm" jsonb null`)
    this.addSql(
      `create table "campaign_attachments" ("id" uuid not null, "project_id" uuid not null, "bytes" bytea not null, primary key ("id"))`,
    )
  }
}
