import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** How many failure reports came on each domain, by day. */
export class FailureCounts extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(
      `create table "failure_counts" ("domain_id" uuid not null, "day" int not null, "project_id" uuid not null, "reports" int not null, primary key ("domain_id", "day"))`,
    )
    this.addSql(`create index "failure_counts_day" on "failure_counts" ("day")`)
  }
}
