import { Migration } from '@mikro-orm/migrations'
import { CAMPAIGN_TALLIES } from './campaign-tally-triggers.ts'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Campaigns, openings and clicks, the languages of projects, and the engine's own secrets. */
export class Campaigns extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(
      `create table "campaigns" ("id" uuid not null, "project_id" uuid not null, "name" text collate "C" not null, "description" text collate "C" null, "subject" text collate "C" not null, "body" text collate "C" not null, "from" text collate "C" not null, "from_name" text collate "C" null, "reply_to" text collate "C" null, "template_id" uuid null, "audience_type" text collate "C" not null, "segment_id" uuid null, "audience_filter" jsonb null, "status" text collate "C" not null, "status_reason" text collate "C" null, "scheduled_at" timestamptz(3) null, "started_at" timestamptz(3) null, "sent_at" timestamptz(3) null, "content_id" uuid null, "fan_out" jsonb null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"))`,
    )
    this.addSql(`create index "campaigns_page" on "campaigns" ("project_id", "id")`)
    this.addSql(`create index "campaigns_by_status" on "campaigns" ("project_id", "status", "id")`)
    this.addSql(
      `create index "campaigns_open" on "campaigns" ("status", "scheduled_at") where status in ('SCHEDULED', 'SENDING')`,
    )
    this.addSql(
      `create table "engine_secrets" ("name" text collate "C" not null, "value" text collate "C" not null, "created_at" timestamptz(3) not null, primary key ("name"))`,
    )
    for (const column of ['human_opened_at', 'human_clicked_at', 'unsubscribed_at']) {
      this.addSql(`alter table "emails" add column "${column}" timestamptz(3) null`)
    }
    this.addSql(`drop index "emails_due"`)
    this.addSql(
      `create index "emails_due" on "emails" ("lane", "id", "due_at") where status = 'QUEUED' and campaign_id is null`,
    )
    this.addSql(
      `create index "emails_campaign_due" on "emails" ("campaign_id", "due_at", "id") where status = 'QUEUED' and campaign_id is not null`,
    )
    this.addSql(`create index "emails_campaign_page" on "emails" ("campaign_id", "id") where campaign_id is not null`)
    this.addSql(`alter table "mail_contents" add column "locale" text collate "C" null`)
    this.addSql(`alter table "projects" add column "locale" text collate "C" null`)
    this.addSql(`alter table "projects" add column "double_opt_in" jsonb null`)
    for (const sql of CAMPAIGN_TALLIES) this.addSql(sql)
  }
}
