import { Migration } from '@mikro-orm/migrations'
import { MOMENT_FUNCTION } from './moment-function.ts'
import { NO_TIMEOUT } from './no-timeout.ts'
import { TALLIES } from './tally-triggers.ts'

/** Segments, contact jobs, and the counters that triggers keep. */
export class Audience extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(`create index "contacts_changed" on "contacts" ("project_id", "updated_at")`)
    this.addSql(`create index "contacts_unsubscribed" on "contacts" ("project_id", "id") where not subscribed`)
    this.addSql(`create index "events_by_name_contact" on "events" ("project_id", "name", "contact_id", "created_at")`)
    this.addSql(
      `create table "segments" ("id" uuid not null, "project_id" uuid not null, "name" text collate "C" not null, "slug" text collate "C" not null, "description" text collate "C" null, "type" text collate "C" not null, "filter" jsonb null, "track_membership" boolean not null, "member_count" int not null, "counted_at" timestamptz(3) null, "computed_at" timestamptz(3) null, "fully_computed_at" timestamptz(3) null, "begun_at" timestamptz(3) null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"))`,
    )
    this.addSql(`create index "segments_page" on "segments" ("project_id", "id")`)
    this.addSql(`create index "segments_begun" on "segments" ("begun_at")`)
    this.addSql(`alter table "segments" add constraint "segments_slug" unique ("project_id", "slug")`)
    this.addSql(
      `create table "segment_stays" ("id" uuid not null, "project_id" uuid not null, "segment_id" uuid not null, "contact_id" uuid not null, "entered_at" timestamptz(3) not null, "left_at" timestamptz(3) null, primary key ("id"))`,
    )
    this.addSql(`create index "segment_stays_contact" on "segment_stays" ("contact_id")`)
    this.addSql(
      `create unique index "segment_stays_now" on "segment_stays" ("segment_id", "contact_id") where left_at is null`,
    )
    this.addSql(
      `create table "contact_jobs" ("id" uuid not null, "project_id" uuid not null, "type" text collate "C" not null, "state" text collate "C" not null, "progress" int not null, "request" jsonb not null, "position" jsonb not null, "result" jsonb not null, "failed_reason" text collate "C" null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "lease_token" text collate "C" null, "lease_until" timestamptz(3) null, primary key ("id"))`,
    )
    this.addSql(`create index "contact_jobs_due" on "contact_jobs" ("id") where state in ('waiting', 'active')`)
    this.addSql(
      `create table "contact_job_files" ("contact_job_id" uuid not null, "bytes" bytea not null, primary key ("contact_job_id"))`,
    )
    this.addSql(
      `create table "tallies" ("project_id" uuid not null, "subject" text collate "C" not null, "name" text collate "C" not null, "kind" text collate "C" not null, "slot" int not null, "count" int not null, primary key ("project_id", "subject", "name", "kind", "slot"))`,
    )
    for (const sql of TALLIES) this.addSql(sql)
    this.addSql(MOMENT_FUNCTION)
  }
}
