import { Migration } from '@mikro-orm/migrations'

/** The consent of contacts to recording openings and clicks, and anonymous counts for those who allow no more. */
export class Consent extends Migration {
  override up(): void {
    this.addSql(`alter table "contacts" add column "tracking" text not null default 'full'`)
    this.addSql(`alter table "projects" add column "tracking_consent" text not null default 'full'`)
    this.addSql(
      `create table "anonymous_counts" ("campaign_id" text not null, "kind" text not null, "project_id" text not null, "count" integer not null, primary key ("campaign_id", "kind"))`,
    )
  }
}
