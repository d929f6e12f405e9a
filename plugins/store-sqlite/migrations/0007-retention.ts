import { Migration } from '@mikro-orm/migrations'

/**
 * The columns and tables to erase removed contacts and old data. Also erases what contacts removed before have left.
 */
export class Retention extends Migration {
  override up(): void {
    this.addSql(`alter table "emails" add column "redacted_at" datetime null`)
    for (const column of ['links_only', 'of_campaign']) {
      this.addSql(`alter table "mail_contents" add column "${column}" integer null`)
    }
    this.addSql(`alter table "workflow_executions" add column "redacted_at" datetime null`)
    this.addSql(`alter table "webhook_deliveries" add column "contact_id" text null`)
    this.addSql(
      `create table "erasures" ("contact_id" text not null primary key, "project_id" text not null, "removed_at" datetime not null, "due_at" datetime not null)`,
    )
    this.addSql(`create index "erasures_due" on "erasures" ("due_at", "contact_id")`)
    this.addSql(`create table "retention_positions" ("name" text not null primary key, "position" text not null)`)
    for (const sql of EARLIER) this.addSql(sql)
    this.addSql(`create index "emails_by_content" on "emails" ("content_id") where campaign_id is null`)
    this.addSql(
      `create index "webhook_deliveries_by_contact" on "webhook_deliveries" ("contact_id") where contact_id is not null`,
    )
  }
}

/** Their mails no longer have a contact. Nor have tests of campaigns, which may go to unknown addresses. */
const EARLIER: readonly string[] = [
  `update "mail_contents" set "of_campaign" = 1
    where "id" in (select "content_id" from "emails" where "campaign_id" is not null)
    or "id" in (select "content_id" from "campaigns" where "content_id" is not null)`,
  `update "webhook_deliveries" set "contact_id" = (select e."contact_id" from "events" as e
    where e."id" = "webhook_deliveries"."event_id") where "event_id" is not null`,
  `update "webhook_deliveries" set "contact_id" = (select x."contact_id" from "workflow_executions" as x
    where x."id" = "webhook_deliveries"."execution_id") where "contact_id" is null and "execution_id" is not null`,
  `insert into "erasures" ("contact_id", "project_id", "removed_at", "due_at")
    select distinct x."contact_id", x."project_id", cast(1000 * unixepoch('subsec') as integer), cast(1000 * unixepoch('subsec') as integer) from "workflow_executions" as x
    where not exists (select 1 from "contacts" as c where c."id" = x."contact_id")`,
  `update "emails" set "to" = 'deleted', "to_name" = null, "variables" = '{}', "tags" = '{}', "accepted" = '[]',
    "error" = null, "redacted_at" = cast(1000 * unixepoch('subsec') as integer),
    "status" = case when "status" = 'QUEUED' then 'SKIPPED' else "status" end,
    "skip_reason" = case when "status" = 'QUEUED' then 'contact-removed' else "skip_reason" end
    where "contact_id" is null and "source_type" <> 'INBOUND'
      and not ("source_type" = 'CAMPAIGN' and "campaign_id" is null)`,
]
