import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Finds the figures that connections still keep apart, which are joined when nobody writes them any more. */
export class JoinedSlots extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(`create index "activity_counts_apart" on "activity_counts" ("start") where slot <> 0`)
  }
}
