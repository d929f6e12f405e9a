import { Migration } from '@mikro-orm/migrations'
import { COUNT_CAMPAIGN_COURSE } from './campaign-course.ts'
import { VARIANT_TALLIES } from './campaign-tally-triggers.ts'
import { FUNCTION_PATHS } from './function-paths.ts'
import { CLICKED_LINKS, linkClicks } from './link-clicks.ts'
import { NO_TIMEOUT } from './no-timeout.ts'
import { OUTBOX_WITH_GOALS } from './outbox-triggers.ts'
import { SEND_FUNCTIONS } from './send-functions.ts'
import { CHOICE_TALLIES } from './topic-tally-triggers.ts'
import { MOMENT_IN_FUNCTION, VALUES_AT_FUNCTION } from './value-functions.ts'

/** All that 0.2.0 stores and 0.1.0 did not, one section for each subject, with what rows of 0.1.0 get in it. */
export class Version02 extends Migration {
  override async up(): Promise<void> {
    await this.execute(NO_TIMEOUT)
    const clicked = await this.execute(CLICKED_LINKS)
    for (const sql of [
      ...[NO_TIMEOUT, ...ACCOUNTS, ...PROJECTS, ...CONTACTS, ...TOPICS, ...FORMS, ...CONTENT],
      ...[...CAMPAIGNS, ...SERIES, ...MAILS, ...linkClicks(clicked)],
      ...[...WORKFLOWS, ...INTERRUPTED, ...SEND_REQUESTS, ...OPERATION, FUNCTION_PATHS],
    ])
      this.addSql(sql)
  }
}

const ACCOUNTS = [
  // unknown of users from before
  `alter table "users" add column "trusted" boolean null`,
  `alter table "user_tokens" add column "inviter" text null`,
  `create index "user_tokens_invited" on "user_tokens" ("email") where purpose = 'invite'`,
]

const PROJECTS = [
  `alter table "projects"
    add column "look" jsonb null,
    add column "utm" jsonb null,
    add column "archive_slug" text null,
    add column "sign_up_url" text null,
    add column "time_zone" text null,
    add column "frequency_cap" jsonb null,
    add column "quotas" jsonb null,
    add column "tracks_created" boolean null,
    add column "public_data" text collate "C" not null default 'all',
    add column "version" integer not null default 1`,
  `create unique index "projects_archive" on "projects" ("archive_slug") where archive_slug is not null`,
  // they tracked events of this name themselves, before the engine wrote such events
  `update "projects" set "tracks_created" = true where exists (select 1 from "events"
    where "project_id" = "projects"."id" and "name" = 'contact.created')`,
]

const CONTACTS = [
  VALUES_AT_FUNCTION,
  MOMENT_IN_FUNCTION,
  `alter table "contacts"
    add column "paused_until" timestamptz(3) null,
    add column "every_days" int null,
    add column "left_by" text collate "C" null`,
  // how contacts left is known from their last event; of those whose events may be removed already, it is assumed
  `update "contacts" set "left_by" = (select coalesce("data"->>'reason', 'api') from "events"
    where "project_id" = "contacts"."project_id" and "name" = 'contact.unsubscribed'
    and "contact_id" = "contacts"."id" and "data"->>'topicId' is null order by "created_at" desc limit 1)
    where not "subscribed"`,
  `update "contacts" set "left_by" = 'api' where not "subscribed" and "left_by" is null
    and "id" < (select "position" from "retention_positions" where "name" = 'ledgerEvents')`,
  `create table "merged_contacts" (
    "contact_id" uuid not null,
    "project_id" uuid not null,
    "into_id" uuid not null,
    "email" text collate "C" null,
    primary key ("contact_id"))`,
  `create index "merged_contacts_into" on "merged_contacts" ("into_id")`,
  `create index "merged_contacts_email" on "merged_contacts" ("project_id", "email")`,
  `create table "contact_job_refusals" (
    "contact_job_id" uuid not null,
    "row" int not null,
    "bytes" bytea not null,
    primary key ("contact_job_id", "row"))`,
  `create index "contact_jobs_newest" on "contact_jobs" ("project_id", "type", "id")`,
  `alter table "segments"
    add column "filter_edition" integer null,
    add column "version" integer not null default 1,
    add column "problem" text collate "C" null`,
]

const TOPICS = [
  `create table "topics" (
    "id" uuid not null,
    "project_id" uuid not null,
    "slug" text collate "C" not null,
    "name" text collate "C" not null,
    "description" text collate "C" null,
    "standing" text collate "C" not null,
    "public" boolean not null,
    "archived" boolean null,
    "created_at" timestamptz(3) not null,
    "updated_at" timestamptz(3) not null,
    "former_slugs" jsonb null,
    primary key ("id"))`,
  `create index "topics_page" on "topics" ("project_id", "id")`,
  `alter table "topics" add constraint "topics_slug" unique ("project_id", "slug")`,
  `create table "topic_choices" (
    "contact_id" uuid not null,
    "topic_id" uuid not null,
    "project_id" uuid not null,
    "subscribed" boolean not null,
    "at" timestamptz(3) not null,
    "source" text collate "C" not null,
    "text" text collate "C" null,
    primary key ("contact_id", "topic_id"))`,
  `create index "topic_choices_topic" on "topic_choices" ("topic_id", "subscribed", "contact_id")`,
  ...CHOICE_TALLIES,
]

const FORMS = [
  `create table "forms" (
    "id" uuid not null,
    "project_id" uuid not null,
    "name" text collate "C" not null,
    "active" boolean not null,
    "texts" jsonb not null,
    "fields" jsonb not null,
    "consent" text collate "C" not null,
    "topic_ids" jsonb not null,
    "double_opt_in" boolean not null,
    "origins" jsonb not null,
    "redirect_url" text collate "C" null,
    "attacked_at" timestamptz(3) null,
    "shown" integer not null,
    "submitted" integer not null,
    "confirmed" integer not null,
    "created_at" timestamptz(3) not null,
    "updated_at" timestamptz(3) not null,
    "version" integer not null default 1,
    primary key ("id"))`,
  `create index "forms_page" on "forms" ("project_id", "id")`,
  `create table "form_submissions" (
    "id" uuid not null,
    "project_id" uuid not null,
    "form_id" uuid not null,
    "contact_id" uuid not null,
    "answers" jsonb not null,
    "consent" text collate "C" not null,
    "topics" jsonb null,
    "address" text collate "C" null,
    "outcome" text collate "C" not null,
    "created_at" timestamptz(3) not null,
    "confirmed_at" timestamptz(3) null,
    "email_id" uuid null,
    primary key ("id"))`,
  `create index "form_submissions_page" on "form_submissions" ("project_id", "form_id", "id")`,
  `create index "form_submissions_contact" on "form_submissions" ("contact_id")`,
]

/** Templates, and what is reused in them. Those from before have no slug until they are given one. */
const CONTENT = [
  `create table "snippets" (
    "id" uuid not null,
    "project_id" uuid not null,
    "name" text collate "C" not null,
    "description" text collate "C" null,
    "body" text collate "C" not null,
    "renders" jsonb not null,
    "created_at" timestamptz(3) not null,
    "updated_at" timestamptz(3) not null,
    "version" integer not null default 1,
    primary key ("id"))`,
  `create index "snippets_page" on "snippets" ("project_id", "id")`,
  `alter table "snippets" add constraint "snippets_name" unique ("project_id", "name")`,
  `create table "layouts" (
    "id" uuid not null,
    "project_id" uuid not null,
    "name" text collate "C" not null,
    "description" text collate "C" null,
    "body" text collate "C" not null,
    "created_at" timestamptz(3) not null,
    "updated_at" timestamptz(3) not null,
    "version" integer not null default 1,
    primary key ("id"))`,
  `create index "layouts_page" on "layouts" ("project_id", "id")`,
  `alter table "templates"
    add column "design" jsonb null,
    add column "preheader" text null,
    add column "slug" text null,
    add column "layout_id" uuid null,
    add column "source" jsonb null,
    add column "version" int not null default 1,
    add column "topic_id" uuid null`,
  `create unique index "templates_slug" on "templates" ("project_id", "slug")`,
  `create table "template_versions" (
    "id" uuid not null,
    "project_id" uuid not null,
    "template_id" uuid not null,
    "number" int not null,
    "fields" jsonb not null,
    "changed" jsonb not null,
    "restored_from" int null,
    "author_type" text collate "C" not null,
    "author_id" text collate "C" null,
    "author_name" text collate "C" not null,
    "created_at" timestamptz(3) not null,
    primary key ("id"))`,
  `create unique index "template_versions_number" on "template_versions" ("template_id", "number")`,
  `create table "template_drafts" (
    "template_id" uuid not null,
    "project_id" uuid not null,
    "fields" jsonb not null,
    "version" int not null,
    "revision" text collate "C" not null,
    "author_type" text collate "C" not null,
    "author_id" text collate "C" null,
    "author_name" text collate "C" not null,
    "updated_at" timestamptz(3) not null,
    primary key ("template_id"))`,
  `alter table "uploads" add column "name" text null`,
  `create index "uploads_newest" on "uploads" ("project_id", "id")`,
]

const CAMPAIGNS = [
  `alter table "campaigns"
    add column "hold" text collate "C" null,
    add column "brake" jsonb null,
    add column "design" jsonb null,
    add column "preheader" text null,
    add column "layout_id" uuid null,
    add column "source" jsonb null,
    add column "headers" jsonb null,
    add column "attachments" jsonb null,
    add column "utm" jsonb null,
    add column "topic_id" uuid null,
    add column "published_at" timestamptz(3) null,
    add column "plan" jsonb null,
    add column "variants" jsonb null,
    add column "test" jsonb null,
    add column "origin_id" uuid null,
    add column "folder" text collate "C" null,
    add column "note" text collate "C" null,
    add column "shelved_at" timestamptz(3) null,
    add column "series_id" uuid null,
    add column "version" integer not null default 1`,
  `create index "campaigns_held" on "campaigns" ("hold") where hold is not null`,
  `create index "campaigns_published" on "campaigns" ("project_id", "sent_at", "id") where published_at is not null`,
  `create index "campaigns_by_origin" on "campaigns" ("origin_id", "id") where origin_id is not null`,
  `create index "campaigns_by_folder" on "campaigns" ("project_id", "folder", "id") where folder is not null`,
  `create index "campaigns_by_series" on "campaigns" ("series_id", "id") where series_id is not null`,
  `create table "campaign_attachments" (
    "id" uuid not null,
    "project_id" uuid not null,
    "bytes" bytea not null,
    primary key ("id"))`,
  `create table "campaign_left_out" (
    "campaign_id" uuid not null,
    "reason" text collate "C" not null,
    "id" uuid not null,
    "project_id" uuid not null,
    "contact_id" uuid null,
    primary key ("campaign_id", "reason", "id"))`,
  `create index "campaign_left_out_contact" on "campaign_left_out" ("contact_id") where contact_id is not null`,
]

const SERIES = [
  `create table "campaign_series" (
    "id" uuid not null,
    "project_id" uuid not null,
    "name" text collate "C" not null,
    "campaign_id" uuid not null,
    "rhythm" jsonb not null,
    "feed_url" text collate "C" null,
    "feed" jsonb null,
    "sends" boolean not null,
    "next_at" timestamptz(3) null,
    "last_at" timestamptz(3) null,
    "issues" int not null,
    "problem" text collate "C" null,
    "created_at" timestamptz(3) not null,
    "updated_at" timestamptz(3) not null,
    primary key ("id"))`,
  `create index "campaign_series_page" on "campaign_series" ("project_id", "id")`,
  `create index "campaign_series_due" on "campaign_series" ("next_at", "id") where next_at is not null`,
  `create table "campaign_series_items" (
    "series_id" uuid not null,
    "key" text collate "C" not null,
    "project_id" uuid not null,
    "seen_at" timestamptz(3) not null,
    "campaign_id" uuid null,
    primary key ("series_id", "key"))`,
  `create index "campaign_series_items_by_time" on "campaign_series_items" ("series_id", "seen_at")`,
]

const MAILS = [
  `alter table "mail_contents"
    add column "tracking_asked" boolean null,
    add column "look" jsonb null,
    add column "topic_id" uuid null`,
  `alter table "emails"
    add column "replied_at" timestamptz(3) null,
    add column "in_reply_to" uuid null,
    add column "variant" text null,
    add column "interrupted" int null,
    add column "to_folder" boolean null`,
  // each finds some mails of a campaign among its many others
  ...['clicked', 'unsubscribed', 'replied'].map(
    (done) => `create index "emails_campaign_${done}" on "emails" ("campaign_id", "id")
      where campaign_id is not null and ${done}_at is not null`,
  ),
  `create index "emails_campaign_variant" on "emails" ("campaign_id", "variant", "id") where variant is not null`,
  `create index "emails_replies" on "emails" ("in_reply_to", "id") where in_reply_to is not null`,
  `create index "emails_alone" on "emails" ("due_at", "id") where interrupted >= 2`,
  ...VARIANT_TALLIES,
  // finds the figures that connections still keep apart, which are joined when no connection writes them any more
  `create index "activity_counts_apart" on "activity_counts" ("start") where slot <> 0`,
  COUNT_CAMPAIGN_COURSE,
  // mails that were only written to a folder are known from its usual name
  `update "emails" set "to_folder" = true where "transport" = 'mail-outbox' and "delivered_at" is not null`,
  `create index "emails_to_folder" on "emails" ("project_id", "campaign_id", "delivered_at") where to_folder is not null`,
]

/** With the goals of workflows, the events that end the executions of the contacts who do them. */
const WORKFLOWS = [
  `alter table "workflows"
    add column "goal_event" text collate "C" null,
    add column "version" integer not null default 1`,
  `create index "workflows_by_goal" on "workflows" ("project_id", "goal_event") where goal_event is not null`,
  OUTBOX_WITH_GOALS,
  `alter table "workflow_executions"
    add column "goal_at" timestamptz(3) null,
    add column "interrupted" int null`,
  `create index "workflow_executions_goal" on "workflow_executions" ("project_id", "workflow_id", "id")
    where goal_at is not null`,
  // one index was for both: now one has the order of a contact's executions in a list, and one those that wait
  `drop index "workflow_executions_of_contact"`,
  `create index "workflow_executions_of_contact" on "workflow_executions" ("contact_id", "id")`,
  `create index "workflow_executions_awaiting" on "workflow_executions" ("contact_id", "waiting_for")
    where waiting_for is not null`,
  `create index "workflow_executions_alone" on "workflow_executions" ("due_at", "id") where interrupted >= 2`,
  // also lists the executions that came through a step in their order
  `drop index "workflow_step_runs_counts"`,
  `create index "workflow_step_runs_counts" on "workflow_step_runs"
    ("project_id", "workflow_id", "step_id", "status", "execution_id")`,
]

/** How often claimed work was left behind by a process that ended, and that with which it is then worked on alone. */
const INTERRUPTED = [
  `alter table "contact_jobs" add column "interrupted" int null`,
  `alter table "inbound_messages" add column "interrupted" int null`,
  `alter table "webhook_deliveries" add column "interrupted" int null`,
  `create index "webhook_deliveries_alone" on "webhook_deliveries" ("due_at", "id") where interrupted >= 2`,
  `alter table "untold_events"
    add column "lease_token" text collate "C" null,
    add column "lease_until" timestamptz(3) null,
    add column "interrupted" int null`,
  `create index "untold_events_claimed" on "untold_events" ("lease_token") where lease_token is not null`,
  `create index "untold_events_alone" on "untold_events" ("id") where interrupted >= 2`,
  `create table "begun_work" (
    "id" text collate "C" not null primary key,
    "kind" text collate "C" not null,
    "key" text collate "C" not null,
    "project_id" uuid null,
    "lease_token" text collate "C" null,
    "lease_until" timestamptz(3) null,
    "interrupted" int null,
    "reason" text collate "C" null,
    "given_up_at" timestamptz(3) null)`,
]

/** Mails that other programs ask for in the database, and the functions with which they do. */
const SEND_REQUESTS = [
  `create table "send_requests" (
    "id" uuid not null primary key,
    "project_id" uuid not null,
    "mail" jsonb null,
    "size" integer not null,
    "idempotency_key" text collate "C" null,
    "fingerprint" text collate "C" null,
    "status" text collate "C" not null,
    "outcome" jsonb null,
    "attempts" integer not null,
    "due_at" timestamptz(3) not null,
    "created_at" timestamptz(3) not null,
    "done_at" timestamptz(3) null,
    "lease_token" text collate "C" null,
    "lease_until" timestamptz(3) null,
    "interrupted" int null)`,
  `create index "send_requests_due" on "send_requests" ("due_at", "id") where status = 'WAITING'`,
  `create index "send_requests_done" on "send_requests" ("done_at") where done_at is not null`,
  `create unique index "send_requests_key" on "send_requests" ("project_id", "idempotency_key")
    where idempotency_key is not null and status <> 'REFUSED'`,
  ...SEND_FUNCTIONS,
]

const OPERATION = [
  `create table "audit_entries" (
    "id" uuid not null,
    "project_id" uuid null,
    "at" timestamptz(3) not null,
    "action" text collate "C" not null,
    "actor_type" text collate "C" not null,
    "actor_id" text collate "C" not null,
    "actor_name" text collate "C" not null,
    "target_type" text collate "C" not null,
    "target_id" text collate "C" null,
    "created_id" text collate "C" null,
    "fields" jsonb not null,
    "outcome" text collate "C" not null,
    "request_id" text collate "C" not null,
    "address" text collate "C" null,
    primary key ("id"))`,
  `create index "audit_entries_page" on "audit_entries" ("project_id", "id")`,
  `create index "audit_entries_actor" on "audit_entries" ("actor_id", "id")`,
  `create table "installation_settings" (
    "name" text collate "C" not null,
    "value" jsonb not null,
    "version" int not null,
    "updated_at" timestamptz(3) not null,
    primary key ("name"))`,
]
