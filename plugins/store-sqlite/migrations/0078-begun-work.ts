import { Migration } from '@mikro-orm/migrations'

/** Work under way that has no row of its own, claims of events that wait to be dispatched, and why a segment is not computed. */
export class BegunWork extends Migration {
  override up(): void {
    this.addSql(
      `create table "begun_work" ("id" text not null primary key, "kind" text not null, "key" text not null, "project_id" text null, "lease_token" text null, "lease_until" datetime null, "interrupted" integer null, "reason" text null, "given_up_at" datetime null)`,
    )
    this.addSql('alter table "untold_events" add column "lease_token" text null')
    this.addSql('alter table "untold_events" add column "lease_until" datetime null')
    this.addSql('alter table "untold_events" add column "interrupted" integer null')
    this.addSql('create index "untold_events_claimed" on "untold_events" ("lease_token") where lease_token is not null')
    this.addSql('create index "untold_events_alone" on "untold_events" ("id") where interrupted >= 2')
    this.addSql('alter table "segments" add column "problem" text null')
  }
}
