import { Migration } from '@mikro-orm/migrations'

/** The first tables. */
export class Initial extends Migration {
  override up(): void {
    this.addSql(
      `create table "api_keys" ("id" text not null primary key, "project_id" text not null, "kind" text not null, "name" text not null, "hash" text not null, "prefix" text not null, "created_at" datetime not null, "last_used_at" datetime null, "revoked_at" datetime null)`,
    )
    this.addSql(`create index "api_keys_page" on "api_keys" ("project_id", "id")`)
    this.addSql(`create unique index "api_keys_hash" on "api_keys" ("hash")`)
    this.addSql(
      `create table "contacts" ("id" text not null primary key, "project_id" text not null, "email" text not null, "subscribed" integer not null, "data" json not null, "created_at" datetime not null, "updated_at" datetime not null)`,
    )
    this.addSql(`create index "contacts_page" on "contacts" ("project_id", "id")`)
    this.addSql(`create unique index "contacts_email" on "contacts" ("project_id", "email")`)
    this.addSql(
      `create table "emails" ("id" text not null primary key, "project_id" text not null, "contact_id" text null, "content_id" text not null, "to" text not null, "to_name" text null, "status" text not null, "source_type" text not null, "lane" integer not null, "template_id" text null, "campaign_id" text null, "variables" json not null, "tags" json not null, "created_at" datetime not null, "due_at" datetime not null, "attempts" integer not null, "accepted" json not null, "transport" text null, "provider_id" text null, "error" text null, "skip_reason" text null, "opens" integer not null, "clicks" integer not null, "sent_at" datetime null, "delivered_at" datetime null, "opened_at" datetime null, "clicked_at" datetime null, "bounced_at" datetime null, "complained_at" datetime null, "updated_at" datetime not null, "lease_token" text null, "lease_until" datetime null)`,
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
      `create table "events" ("id" text not null primary key, "project_id" text not null, "name" text not null, "contact_id" text not null, "email_id" text null, "data" json not null, "created_at" datetime not null)`,
    )
    this.addSql(`create index "events_page" on "events" ("project_id", "id")`)
    this.addSql(`create index "events_by_name" on "events" ("project_id", "name", "id")`)
    this.addSql(`create index "events_by_contact" on "events" ("project_id", "contact_id", "id")`)
    this.addSql(`create index "events_by_email" on "events" ("email_id") where email_id is not null`)
    this.addSql(
      `create table "idempotency_answers" ("project_id" text not null, "key" text not null, "fingerprint" text not null, "answer" text not null, "created_at" datetime not null, primary key ("project_id", "key"))`,
    )
    this.addSql(`create index "idempotency_answers_age" on "idempotency_answers" ("created_at")`)
    this.addSql(
      `create table "mail_attachments" ("mail_content_id" text not null, "position" integer not null, "filename" text not null, "content_type" text not null, "disposition" text not null, "content_id" text null, "bytes" blob not null, primary key ("mail_content_id", "position"))`,
    )
    this.addSql(
      `create table "mail_contents" ("id" text not null primary key, "project_id" text not null, "subject" text not null, "html" text not null, "text" text null, "from" json not null, "reply_to" text null, "cc" json not null, "bcc" json not null, "headers" json not null, "marketing" integer not null, "tracking" integer null, "created_at" datetime not null)`,
    )
    this.addSql(
      `create table "projects" ("id" text not null primary key, "name" text not null, "disabled" integer not null, "tracking" text not null, "trusted_domains" json not null, "created_at" datetime not null, "updated_at" datetime not null)`,
    )
    this.addSql(
      `create table "suppressions" ("id" text not null primary key, "project_id" text not null, "email" text not null, "reason" text not null, "detail" text null, "created_at" datetime not null, "expires_at" datetime null)`,
    )
    this.addSql(`create index "suppressions_page" on "suppressions" ("project_id", "id")`)
    this.addSql(`create unique index "suppressions_email" on "suppressions" ("project_id", "email")`)
    this.addSql(
      `create table "templates" ("id" text not null primary key, "project_id" text not null, "name" text not null, "description" text null, "subject" text not null, "body" text not null, "type" text not null, "from" text null, "from_name" text null, "reply_to" text null, "created_at" datetime not null, "updated_at" datetime not null)`,
    )
    this.addSql(`create index "templates_page" on "templates" ("project_id", "id")`)
  }
}
