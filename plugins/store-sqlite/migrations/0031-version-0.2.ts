import { Migration } from '@mikro-orm/migrations'
import { COUNT_CAMPAIGN_COURSE } from './campaign-course.ts'
import { VARIANT_TALLIES } from './campaign-tally-triggers.ts'
import { CLICKED_LINKS, linkClicks } from './link-clicks.ts'
import { OUTBOX_WITH_GOALS } from './outbox-triggers.ts'
import { CHOICE_TALLIES } from './topic-tally-triggers.ts'

/** All that 0.2.0 stores and 0.1.0 did not, one section for each subject, with what rows of 0.1.0 get in it. */
export class Version02 extends Migration {
  override async up(): Promise<void> {
    const clicked = await this.execute(CLICKED_LINKS)
    for (const sql of [
      ...[...ACCOUNTS, ...PROJECTS, ...CONTACTS, ...TOPICS, ...FORMS, ...CONTENT],
      ...[...CAMPAIGNS, ...SERIES, ...MAILS, ...linkClicks(clicked)],
      ...[...WORKFLOWS, ...INTERRUPTED, ...SEND_REQUESTS, ...OPERATION],
    ])
      this.addSql(sql)
  }
}

const ACCOUNTS = [
  // unknown of users from before
  `alter table "users" add column "trusted" integer null`,
  `alter table "user_tokens" add column "inviter" text null`,
  `create index "user_tokens_invited" on "user_tokens" ("email") where purpose = 'invite'`,
]

const PROJECTS = [
  ...columns('projects', [
    `"look" json null`,
    `"utm" json null`,
    `"archive_slug" text null`,
    `"sign_up_url" text null`,
    `"time_zone" text null`,
    `"frequency_cap" json null`,
    `"quotas" json null`,
    `"tracks_created" integer null`,
    `"public_data" text not null default 'all'`,
    `"version" integer not null default 1`,
  ]),
  `create unique index "projects_archive" on "projects" ("archive_slug") where archive_slug is not null`,
  // they tracked events of this name themselves, before the engine wrote such events
  `update "projects" set "tracks_created" = 1 where exists (select 1 from "events"
    where "project_id" = "projects"."id" and "name" = 'contact.created')`,
]

const CONTACTS = [
  ...columns('contacts', [`"paused_until" datetime null`, `"every_days" integer null`, `"left_by" text null`]),
  // how contacts left is known from their last event; of those whose events may be removed already, it is assumed
  `update "contacts" set "left_by" = (select coalesce(json_extract("data", '$.reason'), 'api') from "events"
    where "project_id" = "contacts"."project_id" and "name" = 'contact.unsubscribed'
    and "contact_id" = "contacts"."id" and json_extract("data", '$.topicId') is null order by "created_at" desc limit 1)
    where not "subscribed"`,
  `update "contacts" set "left_by" = 'api' where not "subscribed" and "left_by" is null
    and "id" < (select "position" from "retention_positions" where "name" = 'ledgerEvents')`,
  `create table "merged_contacts" (
    "contact_id" text not null,
    "project_id" text not null,
    "into_id" text not null,
    "email" text null,
    primary key ("contact_id"))`,
  `create index "merged_contacts_into" on "merged_contacts" ("into_id")`,
  `create index "merged_contacts_email" on "merged_contacts" ("project_id", "email")`,
  `create table "contact_job_refusals" (
    "contact_job_id" text not null,
    "row" integer not null,
    "bytes" blob not null,
    primary key ("contact_job_id", "row"))`,
  `create index "contact_jobs_newest" on "contact_jobs" ("project_id", "type", "id")`,
  ...columns('segments', [
    `"filter_edition" integer null`,
    `"version" integer not null default 1`,
    `"problem" text null`,
  ]),
]

const TOPICS = [
  `create table "topics" (
    "id" text not null,
    "project_id" text not null,
    "slug" text not null,
    "name" text not null,
    "description" text null,
    "standing" text not null,
    "public" integer not null,
    "archived" integer null,
    "created_at" datetime not null,
    "updated_at" datetime not null,
    "former_slugs" json null,
    primary key ("id"))`,
  `create index "topics_page" on "topics" ("project_id", "id")`,
  `create unique index "topics_slug" on "topics" ("project_id", "slug")`,
  `create table "topic_choices" (
    "contact_id" text not null,
    "topic_id" text not null,
    "project_id" text not null,
    "subscribed" integer not null,
    "at" datetime not null,
    "source" text not null,
    "text" text null,
    primary key ("contact_id", "topic_id"))`,
  `create index "topic_choices_topic" on "topic_choices" ("topic_id", "subscribed", "contact_id")`,
  ...CHOICE_TALLIES,
]

const FORMS = [
  `create table "forms" (
    "id" text not null,
    "project_id" text not null,
    "name" text not null,
    "active" integer not null,
    "texts" json not null,
    "fields" json not null,
    "consent" text not null,
    "topic_ids" json not null,
    "double_opt_in" integer not null,
    "origins" json not null,
    "redirect_url" text null,
    "attacked_at" datetime null,
    "shown" integer not null,
    "submitted" integer not null,
    "confirmed" integer not null,
    "created_at" datetime not null,
    "updated_at" datetime not null,
    "version" integer not null default 1,
    primary key ("id"))`,
  `create index "forms_page" on "forms" ("project_id", "id")`,
  `create table "form_submissions" (
    "id" text not null,
    "project_id" text not null,
    "form_id" text not null,
    "contact_id" text not null,
    "answers" json not null,
    "consent" text not null,
    "topics" json null,
    "address" text null,
    "outcome" text not null,
    "created_at" datetime not null,
    "confirmed_at" datetime null,
    "email_id" text null,
    primary key ("id"))`,
  `create index "form_submissions_page" on "form_submissions" ("project_id", "form_id", "id")`,
  `create index "form_submissions_contact" on "form_submissions" ("contact_id")`,
]

/** Templates, and what is reused in them. Those from before have no slug until they are given one. */
const CONTENT = [
  `create table "snippets" (
    "id" text not null,
    "project_id" text not null,
    "name" text not null,
    "description" text null,
    "body" text not null,
    "renders" json not null,
    "created_at" datetime not null,
    "updated_at" datetime not null,
    "version" integer not null default 1,
    primary key ("id"))`,
  `create index "snippets_page" on "snippets" ("project_id", "id")`,
  `create unique index "snippets_name" on "snippets" ("project_id", "name")`,
  `create table "layouts" (
    "id" text not null,
    "project_id" text not null,
    "name" text not null,
    "description" text null,
    "body" text not null,
    "created_at" datetime not null,
    "updated_at" datetime not null,
    "version" integer not null default 1,
    primary key ("id"))`,
  `create index "layouts_page" on "layouts" ("project_id", "id")`,
  ...columns('templates', [
    `"design" json null`,
    `"preheader" text null`,
    `"slug" text null`,
    `"layout_id" text null`,
    `"source" json null`,
    `"version" integer not null default 1`,
    `"topic_id" text null`,
  ]),
  `create unique index "templates_slug" on "templates" ("project_id", "slug")`,
  `create table "template_versions" (
    "id" text not null,
    "project_id" text not null,
    "template_id" text not null,
    "number" integer not null,
    "fields" json not null,
    "changed" json not null,
    "restored_from" integer null,
    "author_type" text not null,
    "author_id" text null,
    "author_name" text not null,
    "created_at" datetime not null,
    primary key ("id"))`,
  `create unique index "template_versions_number" on "template_versions" ("template_id", "number")`,
  `create table "template_drafts" (
    "template_id" text not null,
    "project_id" text not null,
    "fields" json not null,
    "version" integer not null,
    "revision" text not null,
    "author_type" text not null,
    "author_id" text null,
    "author_name" text not null,
    "updated_at" datetime not null,
    primary key ("template_id"))`,
  `alter table "uploads" add column "name" text null`,
  `create index "uploads_newest" on "uploads" ("project_id", "id")`,
]

const CAMPAIGNS = [
  ...columns('campaigns', [
    `"hold" text null`,
    `"brake" json null`,
    `"design" json null`,
    `"preheader" text null`,
    `"layout_id" text null`,
    `"source" json null`,
    `"headers" json null`,
    `"attachments" json null`,
    `"utm" json null`,
    `"topic_id" text null`,
    `"published_at" datetime null`,
    `"plan" json null`,
    `"variants" json null`,
    `"test" json null`,
    `"origin_id" text null`,
    `"folder" text null`,
    `"note" text null`,
    `"shelved_at" datetime null`,
    `"series_id" text null`,
    `"version" integer not null default 1`,
  ]),
  `create index "campaigns_held" on "campaigns" ("hold") where hold is not null`,
  `create index "campaigns_published" on "campaigns" ("project_id", "sent_at", "id") where published_at is not null`,
  `create index "campaigns_by_origin" on "campaigns" ("origin_id", "id") where origin_id is not null`,
  `create index "campaigns_by_folder" on "campaigns" ("project_id", "folder", "id") where folder is not null`,
  `create index "campaigns_by_series" on "campaigns" ("series_id", "id") where series_id is not null`,
  `create table "campaign_attachments" (
    "id" text not null,
    "project_id" text not null,
    "bytes" blob not null,
    primary key ("id"))`,
  `create table "campaign_left_out" (
    "campaign_id" text not null,
    "reason" text not null,
    "id" text not null,
    "project_id" text not null,
    "contact_id" text null,
    primary key ("campaign_id", "reason", "id"))`,
  `create index "campaign_left_out_contact" on "campaign_left_out" ("contact_id") where contact_id is not null`,
]

const SERIES = [
  `create table "campaign_series" (
    "id" text not null,
    "project_id" text not null,
    "name" text not null,
    "campaign_id" text not null,
    "rhythm" json not null,
    "feed_url" text null,
    "feed" json null,
    "sends" integer not null,
    "next_at" datetime null,
    "last_at" datetime null,
    "issues" integer not null,
    "problem" text null,
    "created_at" datetime not null,
    "updated_at" datetime not null,
    primary key ("id"))`,
  `create index "campaign_series_page" on "campaign_series" ("project_id", "id")`,
  `create index "campaign_series_due" on "campaign_series" ("next_at", "id") where next_at is not null`,
  `create table "campaign_series_items" (
    "series_id" text not null,
    "key" text not null,
    "project_id" text not null,
    "seen_at" datetime not null,
    "campaign_id" text null,
    primary key ("series_id", "key"))`,
  `create index "campaign_series_items_by_time" on "campaign_series_items" ("series_id", "seen_at")`,
]

const MAILS = [
  ...columns('mail_contents', [`"tracking_asked" integer null`, `"look" json null`, `"topic_id" text null`]),
  ...columns('emails', [
    `"replied_at" datetime null`,
    `"in_reply_to" text null`,
    `"variant" text null`,
    `"interrupted" integer null`,
    `"to_folder" boolean null`,
  ]),
  // each finds some mails of a campaign among its many others
  ...['clicked', 'unsubscribed', 'replied'].map(
    (done) => `create index "emails_campaign_${done}" on "emails" ("campaign_id", "id")
      where campaign_id is not null and ${done}_at is not null`,
  ),
  `create index "emails_campaign_variant" on "emails" ("campaign_id", "variant", "id") where variant is not null`,
  `create index "emails_replies" on "emails" ("in_reply_to", "id") where in_reply_to is not null`,
  `create index "emails_alone" on "emails" ("due_at", "id") where interrupted >= 2`,
  ...VARIANT_TALLIES,
  // as in PostgreSQL, where connections keep figures apart; with one writer, nothing is in this index
  `create index "activity_counts_apart" on "activity_counts" ("start") where slot <> 0`,
  COUNT_CAMPAIGN_COURSE,
  // mails that were only written to a folder are known from its usual name
  `update "emails" set "to_folder" = true where "transport" = 'mail-outbox' and "delivered_at" is not null`,
  `create index "emails_to_folder" on "emails" ("project_id", "campaign_id", "delivered_at") where to_folder is not null`,
]

/** With the goals of workflows, the events that end the executions of the contacts who do them. */
const WORKFLOWS = [
  ...columns('workflows', [`"goal_event" text null`, `"version" integer not null default 1`]),
  `create index "workflows_by_goal" on "workflows" ("project_id", "goal_event") where goal_event is not null`,
  ...OUTBOX_WITH_GOALS,
  ...columns('workflow_executions', [`"goal_at" datetime null`, `"interrupted" integer null`]),
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
  `alter table "contact_jobs" add column "interrupted" integer null`,
  `alter table "inbound_messages" add column "interrupted" integer null`,
  `alter table "webhook_deliveries" add column "interrupted" integer null`,
  `create index "webhook_deliveries_alone" on "webhook_deliveries" ("due_at", "id") where interrupted >= 2`,
  ...columns('untold_events', [`"lease_token" text null`, `"lease_until" datetime null`, `"interrupted" integer null`]),
  `create index "untold_events_claimed" on "untold_events" ("lease_token") where lease_token is not null`,
  `create index "untold_events_alone" on "untold_events" ("id") where interrupted >= 2`,
  `create table "begun_work" (
    "id" text not null primary key,
    "kind" text not null,
    "key" text not null,
    "project_id" text null,
    "lease_token" text null,
    "lease_until" datetime null,
    "interrupted" integer null,
    "reason" text null,
    "given_up_at" datetime null)`,
]

/** Mails that other programs have asked for in the database. Here, only a copy of a PostgreSQL database has any. */
const SEND_REQUESTS = [
  `create table "send_requests" (
    "id" text not null primary key,
    "project_id" text not null,
    "mail" json null,
    "size" integer not null,
    "idempotency_key" text null,
    "fingerprint" text null,
    "status" text not null,
    "outcome" json null,
    "attempts" integer not null,
    "due_at" datetime not null,
    "created_at" datetime not null,
    "done_at" datetime null,
    "lease_token" text null,
    "lease_until" datetime null,
    "interrupted" integer null)`,
  `create index "send_requests_due" on "send_requests" ("due_at", "id") where status = 'WAITING'`,
  `create index "send_requests_done" on "send_requests" ("done_at") where done_at is not null`,
  `create unique index "send_requests_key" on "send_requests" ("project_id", "idempotency_key")
    where idempotency_key is not null and status <> 'REFUSED'`,
]

const OPERATION = [
  `create table "audit_entries" (
    "id" text not null,
    "project_id" text null,
    "at" datetime not null,
    "action" text not null,
    "actor_type" text not null,
    "actor_id" text not null,
    "actor_name" text not null,
    "target_type" text not null,
    "target_id" text null,
    "created_id" text null,
    "fields" json not null,
    "outcome" text not null,
    "request_id" text not null,
    "address" text null,
    primary key ("id"))`,
  `create index "audit_entries_page" on "audit_entries" ("project_id", "id")`,
  `create index "audit_entries_actor" on "audit_entries" ("actor_id", "id")`,
  `create table "installation_settings" (
    "name" text not null,
    "value" json not null,
    "version" integer not null,
    "updated_at" datetime not null,
    primary key ("name"))`,
]

function columns(table: string, list: readonly string[]): readonly string[] {
  return list.map((column) => `alter table "${table}" add column ${column}`)
}
