import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** The first tables. */
export class Initial extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(
      `create table "api_keys" ("id" uuid not null, "project_id" uuid not null, "kind" text collate "C" not null, "name" text collate "C" not null, "hash" text collate "C" not null, "prefix" text collate "C" not null, "created_at" timestamptz(3) not null, "last_used_at" timestamptz(3) null, "revoked_at" timestamptz(3) null, primary key ("id"))`,
    )
    this.addSql(`create index "api_keys_page" on "api_keys" ("project_id", "id")`)
    this.addSql(`alter table "api_keys" add constraint "api_keys_hash" unique ("hash")`)
    this.addSql(
      `create table "contacts" ("id" uuid not null, "project_id" uuid not null, "email" text collate "C" not null, "subscribed" boolean not null, "data" jsonb not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"))`,
    )
    this.addSql(`create index "contacts_page" on "contacts" ("project_id", "id")`)
    this.addSql(`alter table "contacts" add constraint "contacts_email" unique ("project_id", "email")`)
    this.addSql(
      `create table "emails" ("id" uuid not null, "project_id" uuid not null, "contact_id" uuid null, "content_id" uuid not null, "to" text collate "C" not null, "to_name" text collate "C" null, "status" text collate "C" not null, "source_type" text collate "C" not null, "lane" smallint not null, "template_id" uuid null, "campaign_id" uuid null, "variables" jsonb not null, "tags" jsonb not null, "created_at" timestamptz(3) not null, "due_at" timestamptz(3) not null, "attempts" int not null, "accepted" jsonb not null, "transport" text collate "C" null, "provider_id" text collate "C" null, "error" text collate "C" null, "skip_reason" text collate "C" null, "opens" int not null, "clicks" int not null, "sent_at" timestamptz(3) null, "delivered_at" timestamptz(3) null, "opened_at" timestamptz(3) null, "clicked_at" timestamptz(3) null, "bounced_at" timestamptz(3) null, "complained_at" timestamptz(3) null, "updated_at" timestamptz(3) not null, "lease_token" text collate "C" null, "lease_until" timestamptz(3) null, primary key ("id"))`,
    )
    this.addSql(`create index "emails_page" on "emails" ("project_id", "id")`)
    this.addSql(`create index "emails_by_status" on "emails" ("project_id", "status", "id")`)
    this.addSql(`create index "emails_by_contact" on "emails" ("project_id", "contact_id", "id")`)
    this.addSql(
      `create index "emails_by_template" on "emails" ("project_id", "template_id") where template_id is not null`,
    )
    this.addSql(`create index "emails_due" on "emails" ("lane", "id", "due_at") where status = 'QUEUED'`)
    this.addSql(`create index "emails_leases" on "emails" ("lease_until") where status = 'SENDING'`)
    this.addSql(
      `create unique index "emails_campaign" on "emails" ("campaign_id", "contact_id") where campaign_id is not null`,
    )
    this.addSql(
      `create table "events" ("id" uuid not null, "project_id" uuid not null, "name" text collate "C" not null, "contact_id" uuid not null, "email_id" uuid null, "data" jsonb not null, "created_at" timestamptz(3) not null, primary key ("id"))`,
    )
    this.addSql(`create index "events_page" on "events" ("project_id", "id")`)
    this.addSql(`create index "events_by_name" on "events" ("project_id", "name", "id")`)
    this.addSql(`create index "events_by_contact" on "events" ("project_id", "contact_id", "id")`)
    this.addSql(`create index "events_by_email" on "events" ("email_id") where email_id is not null`)
    this.addSql(
      `create table "idempotency_answers" ("project_id" uuid not null, "key" text collate "C" not null, "fingerprint" text collate "C" not null, "answer" text collate "C" not null, "created_at" timestamptz(3) not null, primary key ("project_id", "key"))`,
    )
    this.addSql(`create index "idempotency_answers_age" on "idempotency_answers" ("created_at")`)
    this.addSql(
      `create table "mail_attachments" ("mail_content_id" uuid not null, "position" int not null, "filename" text collate "C" not null, "content_type" text collate "C" not null, "disposition" text collate "C" not null, "content_id" text collate "C" null, "bytes" bytea not null, primary key ("mail_content_id", "position"))`,
    )
    this.addSql(
      `create table "mail_contents" ("id" uuid not null, "project_id" uuid not null, "subject" text collate "C" not null, "html" text collate "C" not null, "text" text collate "C" null, "from" jsonb not null, "reply_to" text collate "C" null, "cc" jsonb not null, "bcc" jsonb not null, "headers" jsonb not null, "marketing" boolean not null, "tracking" boolean null, "created_at" timestamptz(3) not null, primary key ("id"))`,
    )
    this.addSql(
      `create table "projects" ("id" uuid not null, "name" text collate "C" not null, "disabled" boolean not null, "tracking" text collate "C" not null, "trusted_domains" jsonb not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"))`,
    )
    this.addSql(
      `create table "suppressions" ("id" uuid not null, "project_id" uuid not null, "email" text collate "C" not null, "reason" text collate "C" not null, "detail" text collate "C" null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) null, primary key ("id"))`,
    )
    this.addSql(`create index "suppressions_page" on "suppressions" ("project_id", "id")`)
    this.addSql(`alter table "suppressions" add constraint "suppressions_email" unique ("project_id", "email")`)
    this.addSql(
      `create table "templates" ("id" uuid not null, "project_id" uuid not null, "name" text collate "C" not null, "description" text collate "C" null, "subject" text collate "C" not null, "body" text collate "C" not null, "type" text collate "C" not null, "from" text collate "C" null, "from_name" text collate "C" null, "reply_to" text collate "C" null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"))`,
    )
    this.addSql(`create index "templates_page" on "templates" ("project_id", "id")`)
  }
}
