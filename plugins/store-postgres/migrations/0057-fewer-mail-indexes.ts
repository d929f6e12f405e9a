import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Drops an index of the ledger that another one answers for. */
export class FewerMailIndexes extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(`drop index "emails_ledger_events_of_contact"`)
  }
}
