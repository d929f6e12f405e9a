import { Migration } from '@mikro-orm/migrations'

/** How many failure reports came on each domain, by day. */
export class FailureCounts extends Migration {
  override up(): void {
    this.addSql(
      `create table "failure_counts" ("domain_id" text not null, "day" integer not null, "project_id" text not null, "reports" integer not null, primary key ("domain_id", "day"))`,
    )
    this.addSql(`create index "failure_counts_day" on "failure_counts" ("day")`)
  }
}
