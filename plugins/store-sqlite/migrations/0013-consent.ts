import { Migration } from '@mikro-orm/migrations'

/** What may be noted of the openings and clicks of contacts, and what is counted of those who allow no more. */
export class Consent extends Migration {
  override up(): void {
    this.addSql(`alter table "contacts" add column "tracking" text not null default 'full'`)
    this.addSql(`alter table "projects" add column "tracking_consent" text not null default 'full'`)
    this.addSql(
      `create table "anonymous_counts" ("campaign_id" text not null, "kind" text not null, "project_id" text not null, "count" integer not null, primary key ("campaign_id", "kind"))`,
    )
  }
}
