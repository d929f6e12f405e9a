import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** The consent of contacts to recording openings and clicks, and anonymous counts for those who allow no more. */
export class Consent extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(`alter table "contacts" add column "tracking" text collate "C" not null default 'full'`)
    this.addSql(`alter table "projects" add column "tracking_consent" text collate "C" not null default 'full'`)
    this.addSql(
      `create table "anonymous_counts" ("campaign_id" uuid not null, "kind" text collate "C" not null, "project_id" uuid not null, "count" int not null, primary key ("campaign_id", "kind"))`,
    )
  }
}
