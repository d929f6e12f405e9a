import { Migration } from '@mikro-orm/migrations'
import { CAMPAIGN_TALLIES } from './campaign-tally-triggers.ts'

/** Campaigns, openings and clicks, the languages of projects, and the engine's own secrets. */
export class Campaigns extends Migration {
  override up(): void {
    this.addSql(
      `create table "campaigns" ("id" text not null primary key, "project_id" text not null, "name" text not null, "description" text null, "subject" text not null, "body" text not null, "from" text not null, "from_name" text null, "reply_to" text null, "template_id" text null, "audience_type" text not null, "segment_id" text null, "audience_filter" json null, "status" text not null, "status_reason" text null, "scheduled_at" datetime null, "started_at" datetime null, "sent_at" datetime null, "content_id" text null, "fan_out" json null, "created_at" datetime not null, "updated_at" datetime not null)`,
    )
    this.addSql(`create index "campaigns_page" on "campaigns" ("project_id", "id")`)
    this.addSql(`create index "campaigns_by_status" on "campaigns" ("project_id", "status", "id")`)
    this.addSql(
      `create index "campaigns_open" on "campaigns" ("status", "scheduled_at") where status in ('SCHEDULED', 'SENDING')`,
    )
    this.addSql(
      `create table "engine_secrets" ("name" text not null primary key, "value" text not null, "created_at" datetime not null)`,
    )
    for (const column of ['human_opened_at', 'human_clicked_at', 'unsubscribed_at']) {
      this.addSql(`alter table "emails" add column "${column}" datetime null`)
    }
    this.addSql(`drop index "emails_due"`)
    this.addSql(
      `create index "emails_due" on "emails" ("lane", "id", "due_at") where status = 'QUEUED' and campaign_id is null`,
    )
    this.addSql(
      `create index "emails_campaign_due" on "emails" ("campaign_id", "due_at", "id") where status = 'QUEUED' and campaign_id is not null`,
    )
    this.addSql(`create index "emails_campaign_page" on "emails" ("campaign_id", "id") where campaign_id is not null`)
    this.addSql(`alter table "mail_contents" add column "locale" text null`)
    this.addSql(`alter table "projects" add column "locale" text null`)
    this.addSql(`alter table "projects" add column "double_opt_in" json null`)
    for (const sql of CAMPAIGN_TALLIES) this.addSql(sql)
  }
}
