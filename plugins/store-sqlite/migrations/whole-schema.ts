/* Written by: npx vitest run test/plugins/whole-schema.test.ts -u */

/** What the migrations make of an empty database. */
export const WHOLE_SCHEMA = {
  last: '0068-send-requests',
  sql: String.raw`CREATE TABLE "mailwright_migrations" ("id" integer not null primary key autoincrement, "name" text not null, "executed_at" datetime not null default (strftime('%s', 'now') * 1000));
CREATE TABLE "api_keys" ("id" text not null primary key, "project_id" text not null, "kind" text not null, "name" text not null, "hash" text not null, "prefix" text not null, "created_at" datetime not null, "last_used_at" datetime null, "revoked_at" datetime null, "scopes" json not null default '["full"]', "expires_at" datetime null);
CREATE INDEX "api_keys_page" on "api_keys" ("project_id", "id");
CREATE UNIQUE INDEX "api_keys_hash" on "api_keys" ("hash");
CREATE TABLE "contacts" ("id" text not null primary key, "project_id" text not null, "email" text not null, "subscribed" integer not null, "data" json not null, "created_at" datetime not null, "updated_at" datetime not null, "tracking" text not null default 'full', "paused_until" datetime null, "every_days" integer null);
CREATE INDEX "contacts_page" on "contacts" ("project_id", "id");
CREATE UNIQUE INDEX "contacts_email" on "contacts" ("project_id", "email");
CREATE TABLE "emails" ("id" text not null primary key, "project_id" text not null, "contact_id" text null, "content_id" text not null, "to" text not null, "to_name" text null, "status" text not null, "source_type" text not null, "lane" integer not null, "template_id" text null, "campaign_id" text null, "variables" json not null, "tags" json not null, "created_at" datetime not null, "due_at" datetime not null, "attempts" integer not null, "accepted" json not null, "transport" text null, "provider_id" text null, "error" text null, "skip_reason" text null, "opens" integer not null, "clicks" integer not null, "sent_at" datetime null, "delivered_at" datetime null, "opened_at" datetime null, "clicked_at" datetime null, "bounced_at" datetime null, "complained_at" datetime null, "updated_at" datetime not null, "lease_token" text null, "lease_until" datetime null, "human_opened_at" datetime null, "human_clicked_at" datetime null, "unsubscribed_at" datetime null, "expires_at" datetime null, "redacted_at" datetime null, "soft_bounced_at" datetime null, "ledger_events" smallint null, "tries" json null, "replied_at" datetime null, "in_reply_to" text null, "variant" text null);
CREATE INDEX "emails_page" on "emails" ("project_id", "id");
CREATE INDEX "emails_by_contact" on "emails" ("project_id", "contact_id", "id");
CREATE INDEX "emails_by_template" on "emails" ("project_id", "template_id") where template_id is not null;
CREATE INDEX "emails_leases" on "emails" ("lease_until") where status = 'SENDING';
CREATE UNIQUE INDEX "emails_campaign" on "emails" ("campaign_id", "contact_id") where campaign_id is not null;
CREATE TABLE "events" ("id" text not null primary key, "project_id" text not null, "name" text not null, "contact_id" text not null, "email_id" text null, "data" json not null, "created_at" datetime not null);
CREATE INDEX "events_page" on "events" ("project_id", "id");
CREATE INDEX "events_by_name" on "events" ("project_id", "name", "id");
CREATE INDEX "events_by_contact" on "events" ("project_id", "contact_id", "id");
CREATE INDEX "events_by_email" on "events" ("email_id") where email_id is not null;
CREATE TABLE "idempotency_answers" ("project_id" text not null, "key" text not null, "fingerprint" text not null, "answer" text not null, "created_at" datetime not null, primary key ("project_id", "key"));
CREATE INDEX "idempotency_answers_age" on "idempotency_answers" ("created_at");
CREATE TABLE "mail_attachments" ("mail_content_id" text not null, "position" integer not null, "filename" text not null, "content_type" text not null, "disposition" text not null, "content_id" text null, "bytes" blob not null, primary key ("mail_content_id", "position"));
CREATE TABLE "mail_contents" ("id" text not null primary key, "project_id" text not null, "subject" text not null, "html" text not null, "text" text null, "from" json not null, "reply_to" text null, "cc" json not null, "bcc" json not null, "headers" json not null, "marketing" integer not null, "tracking" integer null, "created_at" datetime not null, "locale" text null, "links_only" integer null, "of_campaign" integer null, "received" integer null, "submitted" json null, "tracking_asked" integer null, "look" json null, "topic_id" text null);
CREATE TABLE "projects" ("id" text not null primary key, "name" text not null, "disabled" integer not null, "tracking" text not null, "trusted_domains" json not null, "created_at" datetime not null, "updated_at" datetime not null, "locale" text null, "double_opt_in" json null, "from" json null, "tracking_consent" text not null default 'full', "look" json null, "utm" json null, "archive_slug" text null, "sign_up_url" text null, "time_zone" text null, "frequency_cap" json null, "quotas" json null);
CREATE TABLE "suppressions" ("id" text not null primary key, "project_id" text not null, "email" text not null, "reason" text not null, "detail" text null, "created_at" datetime not null, "expires_at" datetime null);
CREATE INDEX "suppressions_page" on "suppressions" ("project_id", "id");
CREATE UNIQUE INDEX "suppressions_email" on "suppressions" ("project_id", "email");
CREATE TABLE "templates" ("id" text not null primary key, "project_id" text not null, "name" text not null, "description" text null, "subject" text not null, "body" text not null, "type" text not null, "from" text null, "from_name" text null, "reply_to" text null, "created_at" datetime not null, "updated_at" datetime not null, "design" json null, "preheader" text null, "slug" text null, "layout_id" text null, "source" json null, "version" integer not null default 1, "topic_id" text null);
CREATE INDEX "templates_page" on "templates" ("project_id", "id");
CREATE INDEX "contacts_changed" on "contacts" ("project_id", "updated_at");
CREATE INDEX "contacts_unsubscribed" on "contacts" ("project_id", "id") where not subscribed;
CREATE INDEX "events_by_name_contact" on "events" ("project_id", "name", "contact_id", "created_at");
CREATE TABLE "segments" ("id" text not null primary key, "project_id" text not null, "name" text not null, "slug" text not null, "description" text null, "type" text not null, "filter" json null, "track_membership" integer not null, "member_count" integer not null, "counted_at" datetime null, "computed_at" datetime null, "fully_computed_at" datetime null, "begun_at" datetime null, "created_at" datetime not null, "updated_at" datetime not null, "condition" json null);
CREATE INDEX "segments_page" on "segments" ("project_id", "id");
CREATE INDEX "segments_begun" on "segments" ("begun_at");
CREATE UNIQUE INDEX "segments_slug" on "segments" ("project_id", "slug");
CREATE TABLE "segment_stays" ("id" text not null primary key, "project_id" text not null, "segment_id" text not null, "contact_id" text not null, "entered_at" datetime not null, "left_at" datetime null);
CREATE INDEX "segment_stays_contact" on "segment_stays" ("contact_id");
CREATE UNIQUE INDEX "segment_stays_now" on "segment_stays" ("segment_id", "contact_id") where left_at is null;
CREATE TABLE "contact_jobs" ("id" text not null primary key, "project_id" text not null, "type" text not null, "state" text not null, "progress" integer not null, "request" json not null, "position" json not null, "result" json not null, "failed_reason" text null, "created_at" datetime not null, "updated_at" datetime not null, "lease_token" text null, "lease_until" datetime null);
CREATE INDEX "contact_jobs_due" on "contact_jobs" ("id") where state in ('waiting', 'active');
CREATE TABLE "contact_job_files" ("contact_job_id" text not null primary key, "bytes" blob not null);
CREATE TABLE "tallies" ("project_id" text not null, "subject" text not null, "name" text not null, "kind" text not null, "slot" integer not null, "count" integer not null, primary key ("project_id", "subject", "name", "kind", "slot")) without rowid;
CREATE TRIGGER "contacts_tally_insert" after insert on "contacts" begin
    insert into "tallies" ("project_id", "subject", "name", "kind", "slot", "count") values (new."project_id", 'contact', '', 'all', 0, 1)
    on conflict do update set "count" = "count" + excluded."count";
    insert into "tallies" ("project_id", "subject", "name", "kind", "slot", "count") select new."project_id", 'contact', '', 'subscribed', 0, 1 where new."subscribed"
    on conflict do update set "count" = "count" + excluded."count";
    insert into "tallies" ("project_id", "subject", "name", "kind", "slot", "count") select new."project_id", 'field', "key", case "type" when 'text' then
      case when "atom" glob '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]' or "atom" glob '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9][Tt ][0-2][0-9]:[0-5][0-9]*' then 'date' else 'string' end
    when 'integer' then 'number' when 'real' then 'number'
    when 'true' then 'boolean' when 'false' then 'boolean' else "type" end, 0, 1 from json_each(new."data") where true
    on conflict do update set "count" = "count" + excluded."count";
  end;
CREATE TRIGGER "contacts_tally_delete" after delete on "contacts" begin
    insert into "tallies" ("project_id", "subject", "name", "kind", "slot", "count") values (old."project_id", 'contact', '', 'all', 0, -1)
    on conflict do update set "count" = "count" + excluded."count";
    insert into "tallies" ("project_id", "subject", "name", "kind", "slot", "count") select old."project_id", 'contact', '', 'subscribed', 0, -1 where old."subscribed"
    on conflict do update set "count" = "count" + excluded."count";
    insert into "tallies" ("project_id", "subject", "name", "kind", "slot", "count") select old."project_id", 'field', "key", case "type" when 'text' then
      case when "atom" glob '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]' or "atom" glob '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9][Tt ][0-2][0-9]:[0-5][0-9]*' then 'date' else 'string' end
    when 'integer' then 'number' when 'real' then 'number'
    when 'true' then 'boolean' when 'false' then 'boolean' else "type" end, 0, -1 from json_each(old."data") where true
    on conflict do update set "count" = "count" + excluded."count";
  end;
CREATE TRIGGER "contacts_tally_subscribed" after update of "subscribed" on "contacts"
    when new."subscribed" <> old."subscribed" begin
    insert into "tallies" ("project_id", "subject", "name", "kind", "slot", "count") values (new."project_id", 'contact', '', 'subscribed', 0, new."subscribed" - old."subscribed")
    on conflict do update set "count" = "count" + excluded."count";
  end;
CREATE TRIGGER "contacts_tally_data" after update of "data" on "contacts" when new."data" <> old."data" begin
    insert into "tallies" ("project_id", "subject", "name", "kind", "slot", "count") select new."project_id", 'field', "key", "kind", 0, sum("by") from (
      select "key", case "type" when 'text' then
      case when "atom" glob '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]' or "atom" glob '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9][Tt ][0-2][0-9]:[0-5][0-9]*' then 'date' else 'string' end
    when 'integer' then 'number' when 'real' then 'number'
    when 'true' then 'boolean' when 'false' then 'boolean' else "type" end as "kind", -1 as "by" from json_each(old."data")
      union all select "key", case "type" when 'text' then
      case when "atom" glob '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]' or "atom" glob '[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9][Tt ][0-2][0-9]:[0-5][0-9]*' then 'date' else 'string' end
    when 'integer' then 'number' when 'real' then 'number'
    when 'true' then 'boolean' when 'false' then 'boolean' else "type" end, 1 from json_each(new."data")
    ) group by "key", "kind" having sum("by") <> 0
    on conflict do update set "count" = "count" + excluded."count";
  end;
CREATE TRIGGER "events_tally_insert" after insert on "events" begin
    insert into "tallies" ("project_id", "subject", "name", "kind", "slot", "count") values (new."project_id", 'event', new."name", '', 0, 1)
    on conflict do update set "count" = "count" + excluded."count";
  end;
CREATE TRIGGER "events_tally_delete" after delete on "events" begin
    insert into "tallies" ("project_id", "subject", "name", "kind", "slot", "count") values (old."project_id", 'event', old."name", '', 0, -1)
    on conflict do update set "count" = "count" + excluded."count";
  end;
CREATE TABLE "campaigns" ("id" text not null primary key, "project_id" text not null, "name" text not null, "description" text null, "subject" text not null, "body" text not null, "from" text not null, "from_name" text null, "reply_to" text null, "template_id" text null, "audience_type" text not null, "segment_id" text null, "audience_filter" json null, "status" text not null, "status_reason" text null, "scheduled_at" datetime null, "started_at" datetime null, "sent_at" datetime null, "content_id" text null, "fan_out" json null, "created_at" datetime not null, "updated_at" datetime not null, "audience_condition" json null, "hold" text null, "brake" json null, "design" json null, "preheader" text null, "layout_id" text null, "source" json null, "headers" json null, "attachments" json null, "utm" json null, "topic_id" text null, "published_at" datetime null, "plan" json null, "variants" json null, "test" json null, "origin_id" text null, "folder" text null, "note" text null, "shelved_at" datetime null, "series_id" text null);
CREATE INDEX "campaigns_page" on "campaigns" ("project_id", "id");
CREATE INDEX "campaigns_by_status" on "campaigns" ("project_id", "status", "id");
CREATE INDEX "campaigns_open" on "campaigns" ("status", "scheduled_at") where status in ('SCHEDULED', 'SENDING');
CREATE TABLE "engine_secrets" ("name" text not null primary key, "value" text not null, "created_at" datetime not null);
CREATE INDEX "emails_campaign_due" on "emails" ("campaign_id", "due_at", "id") where status = 'QUEUED' and campaign_id is not null;
CREATE INDEX "emails_campaign_page" on "emails" ("campaign_id", "id") where campaign_id is not null;
CREATE TRIGGER "emails_tally_delete" after delete on "emails" when old."campaign_id" is not null begin
    insert into "tallies" ("project_id", "subject", "name", "kind", "slot", "count") select old."project_id", 'campaign', old."campaign_id", "column1", 0, "column2"
    from (values ('recipients', -1)) where true and "column1" is not null and "column2" <> 0
    on conflict do update set "count" = "count" + excluded."count";
insert into "tallies" ("project_id", "subject", "name", "kind", "slot", "count") select old."project_id", 'campaign', old."campaign_id", "column1", 0, "column2"
    from (values ('sent', (old."sent_at" is not null) * -1), ('delivered', (old."delivered_at" is not null) * -1), ('opened', (old."opened_at" is not null) * -1), ('humanOpened', (old."human_opened_at" is not null) * -1), ('clicked', (old."clicked_at" is not null) * -1), ('humanClicked', (old."human_clicked_at" is not null) * -1), ('bounced', (old."bounced_at" is not null) * -1), ('complained', (old."complained_at" is not null) * -1), ('unsubscribed', (old."unsubscribed_at" is not null) * -1), ('failed', (old."status" = 'FAILED') * -1), ('skipped:' || old."skip_reason", (old."status" = 'SKIPPED') * -1)) where (old."status" in ('FAILED', 'SKIPPED') or old."sent_at" is not null or old."delivered_at" is not null or old."opened_at" is not null or old."human_opened_at" is not null or old."clicked_at" is not null or old."human_clicked_at" is not null or old."bounced_at" is not null or old."complained_at" is not null or old."unsubscribed_at" is not null) and "column1" is not null and "column2" <> 0
    on conflict do update set "count" = "count" + excluded."count";
  end;
CREATE TRIGGER "emails_tally_update" after update of "status", "skip_reason", "sent_at", "delivered_at", "opened_at", "human_opened_at", "clicked_at", "human_clicked_at", "bounced_at", "complained_at", "unsubscribed_at" on "emails" when new."campaign_id" is not null and ((old."status" = 'FAILED') <> (new."status" = 'FAILED') or old."status" = 'SKIPPED' or new."status" = 'SKIPPED' or (old."sent_at" is null) <> (new."sent_at" is null) or (old."delivered_at" is null) <> (new."delivered_at" is null) or (old."opened_at" is null) <> (new."opened_at" is null) or (old."human_opened_at" is null) <> (new."human_opened_at" is null) or (old."clicked_at" is null) <> (new."clicked_at" is null) or (old."human_clicked_at" is null) <> (new."human_clicked_at" is null) or (old."bounced_at" is null) <> (new."bounced_at" is null) or (old."complained_at" is null) <> (new."complained_at" is null) or (old."unsubscribed_at" is null) <> (new."unsubscribed_at" is null)) begin
    insert into "tallies" ("project_id", "subject", "name", "kind", "slot", "count") select new."project_id", 'campaign', new."campaign_id", "column1", 0, "column2"
    from (values ('sent', (new."sent_at" is not null) - (old."sent_at" is not null)), ('delivered', (new."delivered_at" is not null) - (old."delivered_at" is not null)), ('opened', (new."opened_at" is not null) - (old."opened_at" is not null)), ('humanOpened', (new."human_opened_at" is not null) - (old."human_opened_at" is not null)), ('clicked', (new."clicked_at" is not null) - (old."clicked_at" is not null)), ('humanClicked', (new."human_clicked_at" is not null) - (old."human_clicked_at" is not null)), ('bounced', (new."bounced_at" is not null) - (old."bounced_at" is not null)), ('complained', (new."complained_at" is not null) - (old."complained_at" is not null)), ('unsubscribed', (new."unsubscribed_at" is not null) - (old."unsubscribed_at" is not null)), ('failed', (new."status" = 'FAILED') - (old."status" = 'FAILED')), ('skipped:' || new."skip_reason", (new."status" = 'SKIPPED') * 1), ('skipped:' || old."skip_reason", (old."status" = 'SKIPPED') * -1)) where true and "column1" is not null and "column2" <> 0
    on conflict do update set "count" = "count" + excluded."count";
  end;
CREATE TABLE "workflows" ("id" text not null primary key, "project_id" text not null, "name" text not null, "description" text null, "enabled" integer not null, "trigger_type" text not null, "event_name" text null, "allow_reentry" integer not null, "created_at" datetime not null, "updated_at" datetime not null, "goal_event" text null);
CREATE INDEX "workflows_page" on "workflows" ("project_id", "id");
CREATE INDEX "workflows_by_event" on "workflows" ("project_id", "event_name") where event_name is not null;
CREATE TABLE "workflow_steps" ("id" text not null primary key, "project_id" text not null, "workflow_id" text not null, "type" text not null, "name" text not null, "position" json not null, "config" json not null, "template_id" text null, "created_at" datetime not null);
CREATE INDEX "workflow_steps_of" on "workflow_steps" ("project_id", "workflow_id");
CREATE TABLE "workflow_transitions" ("id" text not null primary key, "project_id" text not null, "workflow_id" text not null, "from_step_id" text not null, "to_step_id" text not null, "branch" text null, "priority" integer not null, "automatic" integer null);
CREATE INDEX "workflow_transitions_of" on "workflow_transitions" ("project_id", "workflow_id");
CREATE TABLE "workflow_executions" ("id" text not null primary key, "project_id" text not null, "workflow_id" text not null, "contact_id" text not null, "status" text not null, "current_step_id" text null, "exit_reason" text null, "error" text null, "context" json not null, "event_id" text null, "event" json not null, "once" integer not null, "due_at" datetime null, "waiting_for" text null, "attempts" integer not null, "started_at" datetime not null, "completed_at" datetime null, "updated_at" datetime not null, "lease_token" text null, "lease_until" datetime null, "redacted_at" datetime null, "goal_at" datetime null);
CREATE INDEX "workflow_executions_page" on "workflow_executions" ("project_id", "workflow_id", "id");
CREATE INDEX "workflow_executions_by_status" on "workflow_executions" ("project_id", "workflow_id", "status", "id");
CREATE INDEX "workflow_executions_due" on "workflow_executions" ("due_at", "id") where due_at is not null;
CREATE UNIQUE INDEX "workflow_executions_event" on "workflow_executions" ("event_id", "workflow_id") where event_id is not null;
CREATE UNIQUE INDEX "workflow_executions_once" on "workflow_executions" ("workflow_id", "contact_id") where once;
CREATE UNIQUE INDEX "workflow_executions_now" on "workflow_executions" ("workflow_id", "contact_id") where status in ('RUNNING', 'WAITING');
CREATE TABLE "workflow_step_runs" ("id" text not null primary key, "project_id" text not null, "workflow_id" text not null, "execution_id" text not null, "step_id" text not null, "status" text not null, "output" json null, "error" text null, "started_at" datetime not null, "completed_at" datetime null);
CREATE INDEX "workflow_step_runs_of" on "workflow_step_runs" ("execution_id", "id");
CREATE TABLE "webhook_secrets" ("project_id" text not null primary key, "secret" text not null, "earlier" text null, "earlier_until" datetime null);
CREATE TABLE "webhook_endpoints" ("id" text not null primary key, "project_id" text not null, "url" text not null, "description" text null, "events" json not null, "enabled" integer not null, "failing_since" datetime null, "paused_reason" text null, "created_at" datetime not null, "updated_at" datetime not null);
CREATE INDEX "webhook_endpoints_page" on "webhook_endpoints" ("project_id", "id");
CREATE TABLE "webhook_deliveries" ("id" text not null primary key, "project_id" text not null, "endpoint_id" text null, "workflow_id" text null, "execution_id" text null, "step_id" text null, "event_id" text null, "event_name" text null, "replay_of" text null, "url" text not null, "method" text not null, "headers" json not null, "body" text null, "timeout" integer not null, "status" text not null, "attempts" integer not null, "due_at" datetime not null, "response_status" integer null, "response_body" text null, "error" text null, "created_at" datetime not null, "completed_at" datetime null, "updated_at" datetime not null, "lease_token" text null, "lease_until" datetime null, "contact_id" text null);
CREATE INDEX "webhook_deliveries_page" on "webhook_deliveries" ("project_id", "id");
CREATE INDEX "webhook_deliveries_by_status" on "webhook_deliveries" ("project_id", "status", "id");
CREATE INDEX "webhook_deliveries_by_endpoint" on "webhook_deliveries" ("project_id", "endpoint_id", "id") where endpoint_id is not null;
CREATE INDEX "webhook_deliveries_by_workflow" on "webhook_deliveries" ("project_id", "workflow_id", "id") where workflow_id is not null;
CREATE INDEX "webhook_deliveries_due" on "webhook_deliveries" ("due_at", "id") where status = 'PENDING';
CREATE INDEX "webhook_deliveries_ended" on "webhook_deliveries" ("completed_at") where completed_at is not null;
CREATE UNIQUE INDEX "webhook_deliveries_event" on "webhook_deliveries" ("endpoint_id", "event_id") where endpoint_id is not null and event_id is not null and replay_of is null;
CREATE TABLE "untold_events" ("id" text not null primary key, "project_id" text not null, "name" text not null, "contact_id" text not null, "created_at" datetime not null) without rowid;
CREATE TABLE "public_data_keys" ("project_id" text not null, "key" text not null, "number" integer not null, primary key ("project_id", "key"));
CREATE UNIQUE INDEX "public_data_keys_number" on "public_data_keys" ("project_id", "number");
CREATE TABLE "erasures" ("contact_id" text not null primary key, "project_id" text not null, "removed_at" datetime not null, "due_at" datetime not null);
CREATE INDEX "erasures_due" on "erasures" ("due_at", "contact_id");
CREATE TABLE "retention_positions" ("name" text not null primary key, "position" text not null);
CREATE INDEX "emails_by_content" on "emails" ("content_id") where campaign_id is null;
CREATE INDEX "webhook_deliveries_by_contact" on "webhook_deliveries" ("contact_id") where contact_id is not null;
CREATE TABLE "domains" ("id" text not null primary key, "project_id" text not null, "domain" text not null, "status" text not null, "keys" json not null, "findings" json not null, "failures" integer not null, "proven_at" datetime null, "last_checked_at" datetime null, "due_at" datetime not null, "created_at" datetime not null, "updated_at" datetime not null, "link" json null);
CREATE INDEX "domains_by_project" on "domains" ("project_id");
CREATE INDEX "domains_due" on "domains" ("due_at", "id");
CREATE UNIQUE INDEX "domains_domain" on "domains" ("domain");
CREATE TABLE "inbound_messages" ("id" text not null primary key, "project_id" text not null, "sender" text not null, "recipients" json not null, "raw" blob not null, "remote_address" text not null, "helo" text not null, "tls" integer not null, "attempts" integer not null, "due_at" datetime not null, "received_at" datetime not null, "lease_token" text null, "lease_until" datetime null);
CREATE INDEX "inbound_messages_due" on "inbound_messages" ("due_at", "id");
CREATE INDEX "emails_by_provider" on "emails" ("provider_id") where provider_id is not null and (delivered_at is null or delivered_at <> sent_at);
CREATE TABLE "feedback_reports" ("email_id" text not null, "key" text not null, "at" datetime not null, primary key ("email_id", "key"));
CREATE INDEX "feedback_reports_at" on "feedback_reports" ("at");
CREATE TABLE "anonymous_counts" ("campaign_id" text not null, "kind" text not null, "project_id" text not null, "count" integer not null, primary key ("campaign_id", "kind"));
CREATE TABLE "delivery_counts" ("day" integer not null, "project_id" text not null, "sending_domain" text not null, "recipient_domain" text not null, "slot" integer not null, "sent" integer not null, "delivered" integer not null, "deferred" integer not null, "bounced" integer not null, "complained" integer not null, primary key ("day", "project_id", "sending_domain", "recipient_domain", "slot"));
CREATE INDEX "delivery_counts_senders" on "delivery_counts" ("project_id", "sending_domain", "day") where recipient_domain = '';
CREATE TABLE "delivery_refusals" ("project_id" text not null, "sending_domain" text not null, "recipient_domain" text not null, "code" text not null, "text" text not null, "at" datetime not null, primary key ("project_id", "sending_domain", "recipient_domain", "code"));
CREATE INDEX "delivery_refusals_recipients" on "delivery_refusals" ("project_id", "recipient_domain");
CREATE INDEX "delivery_refusals_at" on "delivery_refusals" ("at");
CREATE TABLE "notices" ("project_id" text not null, "kind" text not null, "at" datetime not null, primary key ("project_id", "kind"));
CREATE TABLE "domain_tests" ("id" text not null, "project_id" text not null, "domain_id" text not null, "to" text not null, "is_ours" integer not null, "is_marketing" integer not null, "arrival" json null, "created_at" datetime not null, primary key ("id"));
CREATE INDEX "domain_tests_by_domain" on "domain_tests" ("domain_id", "created_at");
CREATE INDEX "domain_tests_created" on "domain_tests" ("created_at");
CREATE INDEX "emails_ledger_events" on "emails" ("project_id", "sent_at") where ledger_events is not null;
CREATE INDEX "emails_ledger_events_of_contact" on "emails" ("project_id", "contact_id", "sent_at") where ledger_events is not null;
CREATE TRIGGER "emails_ledger_events_update" after update of "contact_id", "ledger_events" on "emails"
    when old."ledger_events" is not null and old."contact_id" is not null and (new."contact_id" is null or new."ledger_events" is null) begin
      insert into "tallies" ("project_id", "subject", "name", "kind", "slot", "count") select old."project_id", 'event', 'email.sent', '', 0, -1 where (old."ledger_events" & 1) <> 0
    on conflict do update set "count" = "count" + excluded."count";
      insert into "tallies" ("project_id", "subject", "name", "kind", "slot", "count") select old."project_id", 'event', 'email.delivery', '', 0, -1 where (old."ledger_events" & 2) <> 0
    on conflict do update set "count" = "count" + excluded."count";
    end;
CREATE TRIGGER "emails_ledger_events_delete" after delete on "emails"
    when old."ledger_events" is not null and old."contact_id" is not null begin
      insert into "tallies" ("project_id", "subject", "name", "kind", "slot", "count") select old."project_id", 'event', 'email.sent', '', 0, -1 where (old."ledger_events" & 1) <> 0
    on conflict do update set "count" = "count" + excluded."count";
      insert into "tallies" ("project_id", "subject", "name", "kind", "slot", "count") select old."project_id", 'event', 'email.delivery', '', 0, -1 where (old."ledger_events" & 2) <> 0
    on conflict do update set "count" = "count" + excluded."count";
    end;
CREATE INDEX "emails_by_status" on "emails" ("project_id", "status", "id") where status <> 'SENDING';
CREATE INDEX "emails_due" on "emails" ("lane", "project_id", "due_at", "id") where status = 'QUEUED' and campaign_id is null;
CREATE TABLE "activity_counts" ("project_id" text not null, "length" smallint not null, "name" text not null, "start" integer not null, "slot" integer not null, "sent" integer not null, "delivered" integer not null, "opened" integer not null, "clicked" integer not null, "bounced" integer not null, "complained" integer not null, "received" integer not null, "started" integer not null, "completed" integer not null, "events" integer not null, primary key ("project_id", "length", "name", "start", "slot"));
CREATE INDEX "workflow_executions_started" on "workflow_executions" ("project_id", "started_at");
CREATE INDEX "workflow_executions_completed" on "workflow_executions" ("project_id", "completed_at") where status in ('COMPLETED', 'EXITED');
CREATE INDEX "campaigns_sent" on "campaigns" ("project_id", "sent_at") where status = 'SENT';
CREATE INDEX "emails_by_address" on "emails" ("project_id", "to", "id") where campaign_id is null;
CREATE TABLE "uploads" ("id" text not null, "project_id" text not null, "hash" text not null, "content_type" text not null, "width" integer not null, "height" integer not null, "size" integer not null, "created_at" datetime not null, "name" text null, primary key ("id"));
CREATE UNIQUE INDEX "uploads_hash" on "uploads" ("project_id", "hash");
CREATE INDEX "uploads_size" on "uploads" ("project_id", "size");
CREATE TABLE "users" ("id" text not null, "email" text not null, "name" text null, "password_hash" text null, "session_version" integer not null, "verified_at" datetime null, "totp_secret" text null, "totp_since" datetime null, "totp_step" integer null, "created_at" datetime not null, "updated_at" datetime not null, "trusted" integer null, primary key ("id"));
CREATE UNIQUE INDEX "users_email" on "users" ("email");
CREATE TABLE "user_identities" ("provider" text not null, "subject" text not null, "user_id" text not null, "created_at" datetime not null, primary key ("provider", "subject"));
CREATE TABLE "recovery_codes" ("user_id" text not null, "hash" text not null, primary key ("user_id", "hash"));
CREATE TABLE "project_members" ("project_id" text not null, "user_id" text not null, "role" text not null, "created_at" datetime not null, primary key ("project_id", "user_id"));
CREATE INDEX "project_members_user" on "project_members" ("user_id");
CREATE TABLE "user_tokens" ("id" text not null, "purpose" text not null, "user_id" text null, "email" text null, "project_id" text null, "role" text null, "expires_at" datetime not null, "created_at" datetime not null, "inviter" text null, primary key ("id"));
CREATE INDEX "user_tokens_user" on "user_tokens" ("user_id");
CREATE INDEX "user_tokens_project" on "user_tokens" ("project_id");
CREATE INDEX "user_tokens_expires" on "user_tokens" ("expires_at");
CREATE TABLE "attempts" ("key" text not null, "count" integer not null, "until" datetime not null, primary key ("key"));
CREATE INDEX "attempts_until" on "attempts" ("until");
CREATE TABLE "audit_entries" ("id" text not null, "project_id" text null, "at" datetime not null, "action" text not null, "actor_type" text not null, "actor_id" text not null, "actor_name" text not null, "target_type" text not null, "target_id" text null, "created_id" text null, "fields" json not null, "outcome" text not null, "request_id" text not null, "address" text null, primary key ("id"));
CREATE INDEX "audit_entries_page" on "audit_entries" ("project_id", "id");
CREATE INDEX "audit_entries_actor" on "audit_entries" ("actor_id", "id");
CREATE INDEX "activity_counts_apart" on "activity_counts" ("start") where slot <> 0;
CREATE INDEX "emails_campaign_clicked" on "emails" ("campaign_id", "id") where campaign_id is not null and clicked_at is not null;
CREATE INDEX "user_tokens_invited" on "user_tokens" ("email") where purpose = 'invite';
CREATE INDEX "campaigns_held" on "campaigns" ("hold") where hold is not null;
CREATE TABLE "links" ("project_id" text not null, "id" text not null, "url" text not null, "personal" integer not null, primary key ("project_id", "id"));
CREATE TABLE "link_clicks" ("email_id" text not null, "link_id" text not null, "project_id" text not null, "campaign_id" text null, "clicks" integer not null, "human_clicks" integer not null, "seen_at" datetime null, primary key ("email_id", "link_id"));
CREATE INDEX "link_clicks_of_campaign" on "link_clicks" ("campaign_id", "link_id", "email_id") where campaign_id is not null;
CREATE INDEX "link_clicks_of_link" on "link_clicks" ("link_id", "email_id");
CREATE INDEX "uploads_newest" on "uploads" ("project_id", "id");
CREATE INDEX "contact_jobs_newest" on "contact_jobs" ("project_id", "type", "id");
CREATE INDEX "emails_campaign_unsubscribed" on "emails" ("campaign_id", "id") where campaign_id is not null and unsubscribed_at is not null;
CREATE INDEX "workflow_executions_of_contact" on "workflow_executions" ("contact_id", "id");
CREATE INDEX "workflow_executions_awaiting" on "workflow_executions" ("contact_id", "waiting_for") where waiting_for is not null;
CREATE TABLE "contact_job_refusals" ("contact_job_id" text not null, "row" integer not null, "bytes" blob not null, primary key ("contact_job_id", "row"));
CREATE INDEX "workflow_step_runs_counts" on "workflow_step_runs" ("project_id", "workflow_id", "step_id", "status", "execution_id");
CREATE UNIQUE INDEX "templates_slug" on "templates" ("project_id", "slug");
CREATE TABLE "snippets" ("id" text not null, "project_id" text not null, "name" text not null, "description" text null, "body" text not null, "renders" json not null, "created_at" datetime not null, "updated_at" datetime not null, primary key ("id"));
CREATE INDEX "snippets_page" on "snippets" ("project_id", "id");
CREATE UNIQUE INDEX "snippets_name" on "snippets" ("project_id", "name");
CREATE TABLE "layouts" ("id" text not null, "project_id" text not null, "name" text not null, "description" text null, "body" text not null, "created_at" datetime not null, "updated_at" datetime not null, primary key ("id"));
CREATE INDEX "layouts_page" on "layouts" ("project_id", "id");
CREATE TABLE "template_versions" ("id" text not null, "project_id" text not null, "template_id" text not null, "number" integer not null, "fields" json not null, "changed" json not null, "restored_from" integer null, "author_type" text not null, "author_id" text null, "author_name" text not null, "created_at" datetime not null, primary key ("id"));
CREATE UNIQUE INDEX "template_versions_number" on "template_versions" ("template_id", "number");
CREATE TABLE "template_drafts" ("template_id" text not null, "project_id" text not null, "fields" json not null, "version" integer not null, "revision" text not null, "author_type" text not null, "author_id" text null, "author_name" text not null, "updated_at" datetime not null, primary key ("template_id"));
CREATE INDEX "workflows_by_goal" on "workflows" ("project_id", "goal_event") where goal_event is not null;
CREATE INDEX "workflow_executions_goal" on "workflow_executions" ("project_id", "workflow_id", "id") where goal_at is not null;
CREATE TRIGGER "events_untold" after insert on "events"
    when exists (select 1 from "workflows" where "project_id" = new."project_id" and "event_name" = new."name"
        and "enabled" and "trigger_type" = 'EVENT')
      or exists (select 1 from "webhook_endpoints" where "project_id" = new."project_id" and "enabled")
      or exists (select 1 from "workflow_executions" where "contact_id" = new."contact_id" and "waiting_for" = new."name"
        and "status" = 'WAITING')
      or exists (select 1 from "workflows" where "project_id" = new."project_id" and "goal_event" is not null
        and "goal_event" = new."name")
    begin
      insert into "untold_events" ("id", "project_id", "name", "contact_id", "created_at")
        values (new."id", new."project_id", new."name", new."contact_id", new."created_at");
    end;
CREATE TABLE "campaign_attachments" ("id" text not null, "project_id" text not null, "bytes" blob not null, primary key ("id"));
CREATE TABLE "topics" ("id" text not null, "project_id" text not null, "slug" text not null, "name" text not null, "description" text null, "standing" text not null, "public" integer not null, "archived" integer null, "created_at" datetime not null, "updated_at" datetime not null, primary key ("id"));
CREATE INDEX "topics_page" on "topics" ("project_id", "id");
CREATE UNIQUE INDEX "topics_slug" on "topics" ("project_id", "slug");
CREATE TABLE "topic_choices" ("contact_id" text not null, "topic_id" text not null, "project_id" text not null, "subscribed" integer not null, "at" datetime not null, "source" text not null, "text" text null, primary key ("contact_id", "topic_id"));
CREATE INDEX "topic_choices_topic" on "topic_choices" ("topic_id", "subscribed", "contact_id");
CREATE TRIGGER "topic_choices_tally_insert" after insert on "topic_choices" begin
    insert into "tallies" ("project_id", "subject", "name", "kind", "slot", "count") values (new."project_id", 'topic', new."topic_id", case when new."subscribed" then 'subscribed' else 'unsubscribed' end, 0, 1)
    on conflict do update set "count" = "count" + excluded."count";
  end;
CREATE TRIGGER "topic_choices_tally_delete" after delete on "topic_choices" begin
    insert into "tallies" ("project_id", "subject", "name", "kind", "slot", "count") values (old."project_id", 'topic', old."topic_id", case when old."subscribed" then 'subscribed' else 'unsubscribed' end, 0, -1)
    on conflict do update set "count" = "count" + excluded."count";
  end;
CREATE TRIGGER "topic_choices_tally_update" after update of "subscribed" on "topic_choices"
    when new."subscribed" <> old."subscribed" begin
    insert into "tallies" ("project_id", "subject", "name", "kind", "slot", "count") values (old."project_id", 'topic', old."topic_id", case when old."subscribed" then 'subscribed' else 'unsubscribed' end, 0, -1)
    on conflict do update set "count" = "count" + excluded."count";
    insert into "tallies" ("project_id", "subject", "name", "kind", "slot", "count") values (new."project_id", 'topic', new."topic_id", case when new."subscribed" then 'subscribed' else 'unsubscribed' end, 0, 1)
    on conflict do update set "count" = "count" + excluded."count";
  end;
CREATE TABLE "forms" ("id" text not null, "project_id" text not null, "name" text not null, "active" integer not null, "texts" json not null, "fields" json not null, "consent" text not null, "topic_ids" json not null, "double_opt_in" integer not null, "origins" json not null, "redirect_url" text null, "attacked_at" datetime null, "shown" integer not null, "submitted" integer not null, "confirmed" integer not null, "created_at" datetime not null, "updated_at" datetime not null, primary key ("id"));
CREATE INDEX "forms_page" on "forms" ("project_id", "id");
CREATE TABLE "form_submissions" ("id" text not null, "project_id" text not null, "form_id" text not null, "contact_id" text not null, "answers" json not null, "consent" text not null, "topics" json null, "address" text null, "outcome" text not null, "created_at" datetime not null, "confirmed_at" datetime null, primary key ("id"));
CREATE INDEX "form_submissions_page" on "form_submissions" ("project_id", "form_id", "id");
CREATE INDEX "form_submissions_contact" on "form_submissions" ("contact_id");
CREATE UNIQUE INDEX "projects_archive" on "projects" ("archive_slug") where archive_slug is not null;
CREATE INDEX "campaigns_published" on "campaigns" ("project_id", "sent_at", "id") where published_at is not null;
CREATE INDEX "emails_campaign_replied" on "emails" ("campaign_id", "id") where campaign_id is not null and replied_at is not null;
CREATE INDEX "emails_replies" on "emails" ("in_reply_to", "id") where in_reply_to is not null;
CREATE INDEX "emails_campaign_variant" on "emails" ("campaign_id", "variant", "id") where variant is not null;
CREATE TRIGGER "emails_variant_tally_delete" after delete on "emails" when old."variant" is not null and old."campaign_id" is not null begin
    insert into "tallies" ("project_id", "subject", "name", "kind", "slot", "count") select old."project_id", 'variant', old."campaign_id" || ':' || old."variant", "column1", 0, "column2"
    from (values ('recipients', -1)) where true and "column1" is not null and "column2" <> 0
    on conflict do update set "count" = "count" + excluded."count";
insert into "tallies" ("project_id", "subject", "name", "kind", "slot", "count") select old."project_id", 'variant', old."campaign_id" || ':' || old."variant", "column1", 0, "column2"
    from (values ('sent', (old."sent_at" is not null) * -1), ('delivered', (old."delivered_at" is not null) * -1), ('opened', (old."opened_at" is not null) * -1), ('humanOpened', (old."human_opened_at" is not null) * -1), ('clicked', (old."clicked_at" is not null) * -1), ('humanClicked', (old."human_clicked_at" is not null) * -1), ('bounced', (old."bounced_at" is not null) * -1), ('complained', (old."complained_at" is not null) * -1), ('unsubscribed', (old."unsubscribed_at" is not null) * -1), ('failed', (old."status" = 'FAILED') * -1), ('skipped:' || old."skip_reason", (old."status" = 'SKIPPED') * -1)) where (old."status" in ('FAILED', 'SKIPPED') or old."sent_at" is not null or old."delivered_at" is not null or old."opened_at" is not null or old."human_opened_at" is not null or old."clicked_at" is not null or old."human_clicked_at" is not null or old."bounced_at" is not null or old."complained_at" is not null or old."unsubscribed_at" is not null) and "column1" is not null and "column2" <> 0
    on conflict do update set "count" = "count" + excluded."count";
  end;
CREATE TRIGGER "emails_variant_tally_update" after update of "status", "skip_reason", "sent_at", "delivered_at", "opened_at", "human_opened_at", "clicked_at", "human_clicked_at", "bounced_at", "complained_at", "unsubscribed_at" on "emails" when new."variant" is not null and new."campaign_id" is not null and ((old."status" = 'FAILED') <> (new."status" = 'FAILED') or old."status" = 'SKIPPED' or new."status" = 'SKIPPED' or (old."sent_at" is null) <> (new."sent_at" is null) or (old."delivered_at" is null) <> (new."delivered_at" is null) or (old."opened_at" is null) <> (new."opened_at" is null) or (old."human_opened_at" is null) <> (new."human_opened_at" is null) or (old."clicked_at" is null) <> (new."clicked_at" is null) or (old."human_clicked_at" is null) <> (new."human_clicked_at" is null) or (old."bounced_at" is null) <> (new."bounced_at" is null) or (old."complained_at" is null) <> (new."complained_at" is null) or (old."unsubscribed_at" is null) <> (new."unsubscribed_at" is null)) begin
    insert into "tallies" ("project_id", "subject", "name", "kind", "slot", "count") select new."project_id", 'variant', new."campaign_id" || ':' || new."variant", "column1", 0, "column2"
    from (values ('sent', (new."sent_at" is not null) - (old."sent_at" is not null)), ('delivered', (new."delivered_at" is not null) - (old."delivered_at" is not null)), ('opened', (new."opened_at" is not null) - (old."opened_at" is not null)), ('humanOpened', (new."human_opened_at" is not null) - (old."human_opened_at" is not null)), ('clicked', (new."clicked_at" is not null) - (old."clicked_at" is not null)), ('humanClicked', (new."human_clicked_at" is not null) - (old."human_clicked_at" is not null)), ('bounced', (new."bounced_at" is not null) - (old."bounced_at" is not null)), ('complained', (new."complained_at" is not null) - (old."complained_at" is not null)), ('unsubscribed', (new."unsubscribed_at" is not null) - (old."unsubscribed_at" is not null)), ('failed', (new."status" = 'FAILED') - (old."status" = 'FAILED')), ('skipped:' || new."skip_reason", (new."status" = 'SKIPPED') * 1), ('skipped:' || old."skip_reason", (old."status" = 'SKIPPED') * -1)) where true and "column1" is not null and "column2" <> 0
    on conflict do update set "count" = "count" + excluded."count";
  end;
CREATE INDEX "campaigns_by_origin" on "campaigns" ("origin_id", "id") where origin_id is not null;
CREATE INDEX "campaigns_by_folder" on "campaigns" ("project_id", "folder", "id") where folder is not null;
CREATE TABLE "campaign_series" ("id" text not null, "project_id" text not null, "name" text not null, "campaign_id" text not null, "rhythm" json not null, "feed_url" text null, "feed" json null, "sends" integer not null, "next_at" datetime null, "last_at" datetime null, "issues" integer not null, "problem" text null, "created_at" datetime not null, "updated_at" datetime not null, primary key ("id"));
CREATE INDEX "campaign_series_page" on "campaign_series" ("project_id", "id");
CREATE INDEX "campaign_series_due" on "campaign_series" ("next_at", "id") where next_at is not null;
CREATE TABLE "campaign_series_items" ("series_id" text not null, "key" text not null, "project_id" text not null, "seen_at" datetime not null, "campaign_id" text null, primary key ("series_id", "key"));
CREATE INDEX "campaign_series_items_by_time" on "campaign_series_items" ("series_id", "seen_at");
CREATE INDEX "campaigns_by_series" on "campaigns" ("series_id", "id") where series_id is not null;
CREATE TABLE "campaign_left_out" ("campaign_id" text not null, "reason" text not null, "id" text not null, "project_id" text not null, "contact_id" text null, primary key ("campaign_id", "reason", "id"));
CREATE INDEX "campaign_left_out_contact" on "campaign_left_out" ("contact_id") where contact_id is not null;
CREATE TABLE "send_requests" ("id" text not null primary key, "project_id" text not null, "mail" json null, "size" integer not null, "idempotency_key" text null, "fingerprint" text null, "status" text not null, "outcome" json null, "attempts" integer not null, "due_at" datetime not null, "created_at" datetime not null, "done_at" datetime null, "lease_token" text null, "lease_until" datetime null);
CREATE INDEX "send_requests_due" on "send_requests" ("due_at", "id") where status = 'WAITING';
CREATE INDEX "send_requests_done" on "send_requests" ("done_at") where done_at is not null;
CREATE UNIQUE INDEX "send_requests_key" on "send_requests" ("project_id", "idempotency_key") where idempotency_key is not null and status <> 'REFUSED';
`,
}
