import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Inboxes, their threads and their drafts, and keys that work in some of them. */
export class Inboxes extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(
      `create table "inbox_drafts" ("id" uuid not null, "project_id" uuid not null, "inbox_id" uuid not null, "thread_id" uuid null, "kind" text collate "C" not null, "message_id" uuid null, "to" jsonb not null, "cc" jsonb not null, "bcc" jsonb not null, "subject" text collate "C" not null, "body" text collate "C" not null, "reason" text collate "C" null, "status" text collate "C" not null, "refusal" text collate "C" null, "decided_by" text collate "C" null, "email_id" uuid null, "send_at" timestamptz(3) null, "author_id" text collate "C" null, "author_name" text collate "C" not null, "version" int not null default 1, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"))`,
    )
    this.addSql(`create index "inbox_drafts_page" on "inbox_drafts" ("inbox_id", "id") where status <> 'sent'`)
    this.addSql(`create index "inbox_drafts_waiting" on "inbox_drafts" ("project_id", "id") where status = 'waiting'`)
    this.addSql(`create index "inbox_drafts_thread" on "inbox_drafts" ("thread_id", "id") where thread_id is not null`)
    this.addSql(
      `create table "inboxes" ("id" uuid not null, "project_id" uuid not null, "address" text collate "C" not null, "name" text collate "C" not null, "sender_name" text collate "C" null, "signature" text collate "C" null, "labels" jsonb not null, "member_ids" jsonb null, "approval" text collate "C" not null, "metadata" jsonb not null, "version" int not null default 1, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"))`,
    )
    this.addSql(`create index "inboxes_page" on "inboxes" ("project_id", "id")`)
    this.addSql(`alter table "inboxes" add constraint "inboxes_address" unique ("project_id", "address")`)
    this.addSql(
      `create table "thread_mails" ("inbox_id" uuid not null, "email_id" uuid not null, "thread_id" uuid not null, "project_id" uuid not null, "message_id" text collate "C" not null, "incoming" boolean not null, "at" timestamptz(3) not null, primary key ("inbox_id", "email_id"))`,
    )
    this.addSql(`create index "thread_mails_page" on "thread_mails" ("thread_id", "at", "email_id")`)
    this.addSql(`create index "thread_mails_named" on "thread_mails" ("inbox_id", "message_id")`)
    this.addSql(`create index "thread_mails_of" on "thread_mails" ("email_id")`)
    this.addSql(
      `create table "thread_notes" ("id" uuid not null, "project_id" uuid not null, "thread_id" uuid not null, "text" text collate "C" not null, "author_type" text collate "C" not null, "author_id" text collate "C" null, "author_name" text collate "C" not null, "created_at" timestamptz(3) not null, primary key ("id"))`,
    )
    this.addSql(`create index "thread_notes_page" on "thread_notes" ("thread_id", "id")`)
    this.addSql(
      `create table "thread_reads" ("thread_id" uuid not null, "reader_id" text collate "C" not null, "project_id" uuid not null, "read_at" timestamptz(3) not null, primary key ("thread_id", "reader_id"))`,
    )
    this.addSql(
      `create table "threads" ("id" uuid not null, "project_id" uuid not null, "inbox_id" uuid not null, "subject" text collate "C" not null, "subject_key" text collate "C" not null, "participants" jsonb not null, "folder" text collate "C" not null, "labels" jsonb not null, "assignee_id" text collate "C" null, "snippet" text collate "C" not null, "message_count" int not null, "last_message_id" uuid not null, "last_message_at" timestamptz(3) not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"))`,
    )
    this.addSql(`create index "threads_page" on "threads" ("inbox_id", "folder", "last_message_at", "id")`)
    this.addSql(`create index "threads_subject" on "threads" ("inbox_id", "subject_key", "last_message_at")`)
    this.addSql(`alter table "api_keys" add "inbox" jsonb null`)
  }
}
