import { Migration } from '@mikro-orm/migrations'
import { TALLIES } from './tally-triggers.ts'

/** Segments, contact jobs, and the counters that triggers keep. */
export class Audience extends Migration {
  override up(): void {
    this.addSql(`create index "contacts_changed" on "contacts" ("project_id", "updated_at")`)
    this.addSql(`create index "contacts_unsubscribed" on "contacts" ("project_id", "id") where not subscribed`)
    this.addSql(`create index "events_by_name_contact" on "events" ("project_id", "name", "contact_id", "created_at")`)
    this.addSql(
      `create table "segments" ("id" text not null primary key, "project_id" text not null, "name" text not null, "slug" text not null, "description" text null, "type" text not null, "filter" json null, "track_membership" integer not null, "member_count" integer not null, "counted_at" datetime null, "computed_at" datetime null, "fully_computed_at" datetime null, "begun_at" datetime null, "created_at" datetime not null, "updated_at" datetime not null)`,
    )
    this.addSql(`create index "segments_page" on "segments" ("project_id", "id")`)
    this.addSql(`create index "segments_begun" on "segments" ("begun_at")`)
    this.addSql(`create unique index "segments_slug" on "segments" ("project_id", "slug")`)
    this.addSql(
      `create table "segment_stays" ("id" text not null primary key, "project_id" text not null, "segment_id" text not null, "contact_id" text not null, "entered_at" datetime not null, "left_at" datetime null)`,
    )
    this.addSql(`create index "segment_stays_contact" on "segment_stays" ("contact_id")`)
    this.addSql(
      `create unique index "segment_stays_now" on "segment_stays" ("segment_id", "contact_id") where left_at is null`,
    )
    this.addSql(
      `create table "contact_jobs" ("id" text not null primary key, "project_id" text not null, "type" text not null, "state" text not null, "progress" integer not null, "request" json not null, "position" json not null, "result" json not null, "failed_reason" text null, "created_at" datetime not null, "updated_at" datetime not null, "lease_token" text null, "lease_until" datetime null)`,
    )
    this.addSql(`create index "contact_jobs_due" on "contact_jobs" ("id") where state in ('waiting', 'active')`)
    this.addSql(`create table "contact_job_files" ("contact_job_id" text not null primary key, "bytes" blob not null)`)
    this.addSql(
      `create table "tallies" ("project_id" text not null, "subject" text not null, "name" text not null, "kind" text not null, "slot" integer not null, "count" integer not null, primary key ("project_id", "subject", "name", "kind", "slot")) without rowid`,
    )
    for (const sql of TALLIES) this.addSql(sql)
  }
}
