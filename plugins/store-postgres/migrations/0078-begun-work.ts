import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Work under way that has no row of its own, claims of events that wait to be dispatched, and why a segment is not computed. */
export class BegunWork extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(
      `create table "begun_work" ("id" text collate "C" not null primary key, "kind" text collate "C" not null, "key" text collate "C" not null, "project_id" uuid null, "lease_token" text collate "C" null, "lease_until" timestamptz(3) null, "interrupted" int null, "reason" text collate "C" null, "given_up_at" timestamptz(3) null)`,
    )
    this.addSql('alter table "untold_events" add column "lease_token" text collate "C" null')
    this.addSql('alter table "untold_events" add column "lease_until" timestamptz(3) null')
    this.addSql('alter table "untold_events" add column "interrupted" int null')
    this.addSql('create index "untold_events_claimed" on "untold_events" ("lease_token") where lease_token is not null')
    this.addSql('create index "untold_events_alone" on "untold_events" ("id") where interrupted >= 2')
    this.addSql('alter table "segments" add column "problem" text collate "C" null')
  }
}
