import { Migration } from '@mikro-orm/migrations'

/** As in PostgreSQL, where connections keep figures apart. With one writer, nothing is in this index. */
export class JoinedSlots extends Migration {
  override up(): void {
    this.addSql(`create index "activity_counts_apart" on "activity_counts" ("start") where slot <> 0`)
  }
}
