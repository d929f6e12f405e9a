import { Migration } from '@mikro-orm/migrations'

/** Inboxes, their threads and their drafts, and keys that work in some of them. */
export class Inboxes extends Migration {
  override up(): void {
    this.addSql(
      `create table "inbox_drafts" ("id" text not null primary key, "project_id" text not null, "inbox_id" text not null, "thread_id" text null, "kind" text not null, "message_id" text null, "to" json not null, "cc" json not null, "bcc" json not null, "subject" text not null, "body" text not null, "reason" text null, "status" text not null, "refusal" text null, "decided_by" text null, "email_id" text null, "send_at" datetime null, "author_id" text null, "author_name" text not null, "version" integer not null default 1, "created_at" datetime not null, "updated_at" datetime not null)`,
    )
    this.addSql(`create index "inbox_drafts_page" on "inbox_drafts" ("inbox_id", "id") where status <> 'sent'`)
    this.addSql(`create index "inbox_drafts_waiting" on "inbox_drafts" ("project_id", "id") where status = 'waiting'`)
    this.addSql(`create index "inbox_drafts_thread" on "inbox_drafts" ("thread_id", "id") where thread_id is not null`)
    this.addSql(
      `create table "inboxes" ("id" text not null primary key, "project_id" text not null, "address" text not null, "name" text not null, "sender_name" text null, "signature" text null, "labels" json not null, "member_ids" json null, "approval" text not null, "metadata" json not null, "version" integer not null default 1, "created_at" datetime not null, "updated_at" datetime not null)`,
    )
    this.addSql(`create index "inboxes_page" on "inboxes" ("project_id", "id")`)
    this.addSql(`create unique index "inboxes_address" on "inboxes" ("project_id", "address")`)
    this.addSql(
      `create table "thread_mails" ("inbox_id" text not null, "email_id" text not null, "thread_id" text not null, "project_id" text not null, "message_id" text not null, "incoming" integer not null, "at" datetime not null, primary key ("inbox_id", "email_id"))`,
    )
    this.addSql(`create index "thread_mails_page" on "thread_mails" ("thread_id", "at", "email_id")`)
    this.addSql(`create index "thread_mails_named" on "thread_mails" ("inbox_id", "message_id")`)
    this.addSql(`create index "thread_mails_of" on "thread_mails" ("email_id")`)
    this.addSql(
      `create table "thread_notes" ("id" text not null primary key, "project_id" text not null, "thread_id" text not null, "text" text not null, "author_type" text not null, "author_id" text null, "author_name" text not null, "created_at" datetime not null)`,
    )
    this.addSql(`create index "thread_notes_page" on "thread_notes" ("thread_id", "id")`)
    this.addSql(
      `create table "thread_reads" ("thread_id" text not null, "reader_id" text not null, "project_id" text not null, "read_at" datetime not null, primary key ("thread_id", "reader_id"))`,
    )
    this.addSql(
      `create table "threads" ("id" text not null primary key, "project_id" text not null, "inbox_id" text not null, "subject" text not null, "subject_key" text not null, "participants" json not null, "folder" text not null, "labels" json not null, "assignee_id" text null, "snippet" text not null, "message_count" integer not null, "last_message_id" text not null, "last_message_at" datetime not null, "created_at" datetime not null, "updated_at" datetime not null)`,
    )
    this.addSql(`create index "threads_page" on "threads" ("inbox_id", "folder", "last_message_at", "id")`)
    this.addSql(`create index "threads_subject" on "threads" ("inbox_id", "subject_key", "last_message_at")`)
    this.addSql(`alter table "api_keys" add column "inbox" json null`)
  }
}
